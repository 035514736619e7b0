"""The kinds of events: by which words a query names them, and how they tell what happened.

Not the job of this module: all other words (`words`).
"""

from collections.abc import Iterable
from typing import NamedTuple

from reqap.retrieve.words import WEAK, fold, says_nothing, stem
from reqap.verbalize import TELLINGS

# Kinds that may be about anything: in "I bought a film", buying is the kind and the film a word.
_CONTAINERS = frozenset((*TELLINGS, "online_purchase", "online_refund", "web_search", "web_visit"))


class Target(NamedTuple):
    """Events of a kind; only those whose JSON holds `mark`, and not `unless`."""

    kind: str
    mark: str = ""
    unless: str = ""


Stems = tuple[str, ...]
KindWords = dict[Stems, frozenset[Target]]

_TABLE: dict[Target, str] = {
    Target("music_stream"): "song, music, track, artist, album, band, singer, listen",
    Target("podcast_stream"): "podcast, episode, listen",
    Target("audiobook_stream"): "audiobook, audio book, listen",
    Target("movie_stream"): "movie, film, watch",
    Target("tvseries_stream"): "series, tv, tv show, tv series, show, season, episode, watch",
    Target("video_stream"): "video, watch",
    Target(
        "online_purchase"
    ): "buy, purchase, order, shop, shopping, money, spend, spend on, expense",
    Target("online_refund"): "refund",
    Target("workout"): "workout, work out, exercise, training, practice, sport, fitness",
    Target("sleep"): "sleep, nap, asleep",
    Target("daily_activity", '"steps":'): "step",
    Target("daily_activity", 'heart_rate":'): "heart rate, pulse",
    Target("daily_activity", '"active_energy":'): "calorie",
    Target("nutrition"): "nutrition, nutrient, diet, calorie",
    Target("body_measurement", '"weight":'): "weight, weigh",
    Target("body_measurement"): "body fat, bmi, blood pressure, body temperature",
    Target("calendar"): "calendar",
    # A birthday or a holiday is no meeting.
    Target("calendar", unless='"all_day":true'): "appointment, meet, meeting",
    Target("note"): "note, diary, journal",
    Target("mail"): "mail, email, e mail, message",
    Target("chat"): "chat, message",
    Target("social_media"): "post, tweet, toot, social media",
    Target("web_search"): "search, web search",
    Target("web_visit"): "website, web page, webpage, browse, visit web",
    # The profile's facts are told apart by how their names end.
    Target("profile", ' a job"'): "job, employer, employ, work at, work for",
    Target("profile", ' an education"'): "school, university, college, study, education",
    Target("profile", ' home"'): "home, house, move, live in, live at, address",
    Target("profile", ' a pet"'): "pet",
    Target("profile", 'born"'): "born, birth",
}


# Kinds that are things of their own when a query asks for them ("mails from Ana"); else what they
# tell of is asked for.
_WRITTEN = ("mail", "chat", "note", "social_media")


def asks_for_writing(query: str) -> bool:
    """Whether a query asks for what was written, and not for what that tells of."""
    said = set(map(stem, fold(query)))
    return any(said.issuperset(map(stem, fold(phrase)))
               for kind in _WRITTEN for phrase in _TABLE[Target(kind)].split(","))  # fmt: skip


_JOURNEYS = frozenset(
    map(
        stem,
        [
            "trip",
            "travel",
            "journey",
            "holiday",
            "vacation",
            "tour",
            "cruise",
            "voyage",
            "away",
            "abroad",
            "road",
        ],
    )
)


def asks_for_journeys(query: str) -> bool:
    return not _JOURNEYS.isdisjoint(map(stem, fold(query)))


def kind_words(kinds: Iterable[str]) -> KindWords:
    """Phrase → what it names: the table, and kinds nobody here has heard of, by their own names.

    A kind such as bank_transfer is named by "bank transfer", and by the last word of it that says
    something: "transfer".
    """
    table = dict(_TABLE)
    for kind in sorted(set(kinds) - {target.kind for target in _TABLE}):
        words = fold(kind.replace("_", " "))[:4]
        telling = [w for w in words if not says_nothing(w) and stem(w) not in WEAK]
        if telling:
            table[Target(kind)] = f"{' '.join(words)}, {telling[-1]}"
    named: dict[Stems, set[Target]] = {}
    for target, phrases in table.items():
        for phrase in phrases.split(", "):
            named.setdefault(tuple(map(stem, fold(phrase))), set()).add(target)
    return {phrase: frozenset(targets) for phrase, targets in named.items()}


def elected(votes: Iterable[frozenset[Target]]) -> frozenset[Target]:
    """What several kind words mean together: "podcast episodes I listened to" are podcasts.

    Of the targets, those with the most votes; kinds that may be about anything go first.
    """
    count: dict[Target, int] = {}
    for targets in votes:
        for target in targets:
            count[target] = count.get(target, 0) + 1
    running = {t: n for t, n in count.items() if t.kind in _CONTAINERS} or count
    most = max(running.values(), default=0)
    return frozenset(t for t, n in running.items() if n == most)
