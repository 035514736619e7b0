"""What a Netflix title says: a film, or the season and episode of a show.

Netflix writes one text for it all, "Show: Season 2: Episode", and colons also occur inside the
names. A part that names a season decides; where no part does, the other titles of the file may.
Not the job of this module: reading the files (`netflix`).
"""

import re
import unicodedata
from collections import Counter
from typing import NamedTuple

# No title is longer; what is, is not taken apart.
_MAX_CHARS = 500
# Beyond this many different titles the evidence is ample and stops growing.
_MAX_TITLES = 200_000
_MAX_PARTS = 5
# Three parts of one film series are not seen on one day; three episodes easily are.
_EPISODES_A_DAY = 3
_EPISODES_OF_SEASON = 3

_SEPARATOR = re.compile(r"\s?(?::\s+|：\s*)")


class Title(NamedTuple):
    """A title taken apart. A film has no show and nothing else."""

    show: str = ""
    season_name: str = ""
    season: int | None = None
    episode_name: str = ""
    episode: int | None = None


def _fold(text: str) -> str:
    """Lower case without accents: "Säsong" and "SASONG" agree."""
    plain = unicodedata.normalize("NFKD", text).casefold().replace("ł", "l")
    return "".join(char for char in plain if not unicodedata.combining(char))


def _any_of(words: str) -> str:
    return "|".join(re.escape(_fold(word)) for word in words.split())


def _names(names: str) -> frozenset[str]:
    return frozenset(_fold(name) for name in names.split(", "))


def _counted(words: str) -> dict[str, int]:
    return {word: number for number, word in enumerate(words.split(), 1)}


# Words for a season, which films do not use, and for a part, which films use as well ("Dune: Part
# Two"): a part counts as a season only where something follows it.
_SEASON = _any_of(
    "Season Series Staffel Saison Temporada Stagione Seizoen Sezon Sezonul Säsong Kausi Sæson"
    " Sesong Serie Série Évad Sezóna Sezona Řada Сезон シーズン 시즌"
)
_PART = _any_of(
    "Part Teil Partie Parte Deel Część Del Osa"
    " Volume Vol Volumen Band Tom Tome Chapter Kapitel Chapitre Capítulo Capitolo Hoofdstuk"
    " Rozdział Luku Book Buch Livre Libro Livro Boek Księga Bok Kirja"
    " Collection Kollektion Sammlung Colección Coleção Collezione Collectie Kolekcja Samling"
    " Kokoelma"
)
_EPISODE = _any_of(
    "Episode Ep Folge Épisode Episodio Episódio Aflevering Odcinek Avsnitt Jakso Epizód Epizoda"
    " Эпизод Серия エピソード 에피소드"
)
_NAMED_SEASONS = _names(
    "Limited Series, Mini-Series, Miniseries, Mini Series, Miniserie, Mini-Serie, Minisérie,"
    " Mini-série, Serie limitada, Miniserie limitada, Série limitada, Série limitée,"
    " Serie limitata, Miniserie TV, Limitowany serial, Miniserial, Begrenzte Serie,"
    " Begränsad serie, Beperkte serie, Gelimiteerde serie, Minisarja, Rajoitettu sarja,"
    " The Complete Series, リミテッドシリーズ"
)
_NAMED_PARTS = _names(
    "Collection, Kollektion, Sammlung, Colección, Coleção, Collezione, Collectie, Kolekcja,"
    " Samling, Kokoelma, Special, Specials, Especiales, Especiais, Speciali, Spéciaux"
)
_NUMBERS = {
    **_counted(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
        " sixteen seventeen eighteen nineteen twenty"
    ),
    **_counted("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx"),
}
_NUMBER = (
    r"(?:\.?\s?#?(?P<number>[0-9]{1,4})"
    rf"|\.?\s(?P<word>{'|'.join(sorted(_NUMBERS, key=len, reverse=True))}))(?!\w)"
)
_ORDINAL = r"(?P<ordinal>[0-9]{1,3})\s?(?:\.|a|o|e|re|er|eme|st|nd|rd|th)?\s?"
_LAST = _any_of("Final Last Letzte Dernière Última Ultima Laatste Ostatni Sista Viimeinen")

_IS_SEASON = re.compile(
    rf"(?:(?:{_SEASON}){_NUMBER}(?:\W.{{0,60}})?"  # "Season 2", "Season 4 (Part 1)"
    rf"|{_ORDINAL}(?:{_SEASON})"  # "2. Staffel", "2ª temporada"
    rf"|第\s?(?P<cjk>[0-9]{{1,3}})\s?[季部期]"
    rf"|(?:the )?(?:{_LAST}) (?:{_SEASON})|(?:{_SEASON}) final[ea]?)"
)
_IS_PART = re.compile(rf"(?:{_PART}){_NUMBER}(?:\s?\([^()]{{0,40}}\))?")
_NAMES_EPISODE = re.compile(
    rf"(?:(?:{_EPISODE}|{_PART}){_NUMBER}"
    rf"|{_ORDINAL}(?:{_EPISODE}|{_PART})(?!\w)|第\s?(?P<cjk>[0-9]{{1,4}})\s?[話话集回])"
)
_IS_EPISODE = re.compile(rf"(?:{_EPISODE})\.?\s?#?[0-9]{{1,4}}|[0-9]{{1,4}}\. ?(?:{_EPISODE})")
# "The Pilot (Episode 1)": only the activity file writes it, so it is no part of the name.
_SUFFIX = re.compile(rf"\((?:{_EPISODE})\.?\s?#?([0-9]{{1,4}})\)")


class _Part(NamedTuple):
    start: int
    end: int
    folded: str


class Titles:
    """The titles of one file, which bear witness for one another. First `add` all, then `parse`."""

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._sharing: Counter[int] = Counter()  # how many titles begin with a text
        self._on_day: Counter[int] = Counter()  # … and were watched on a day
        self._daily: set[int] = set()  # beginnings that enough titles of one day share

    def add(self, title: str, day: str) -> None:
        """Takes note of a title and the day (in any writing) it was watched on."""
        known = hash(title) in self._seen
        parts = [] if known or len(self._seen) >= _MAX_TITLES else _split(title)
        if len(parts) < 2:
            return
        self._seen.add(hash(title))
        for count in range(1, min(len(parts), _MAX_PARTS)):
            self._sharing[hash(_prefix(title, parts, count))] += 1
        first = _prefix(title, parts, 1)
        self._on_day[hash((first, day))] += 1
        if self._on_day[hash((first, day))] >= _EPISODES_A_DAY:
            self._daily.add(hash(first))

    def parse(self, title: str) -> Title:
        """The title taken apart, in the light of all others."""
        title, number = _cut_suffix(title)
        parts = _split(title)
        if place := _season_place(parts):
            return self._of_season(title, parts, place, number)
        episodes = (n for n, part in enumerate(parts) if n and _IS_EPISODE.fullmatch(part.folded))
        if place := next(episodes, 0):
            return _title(title, parts, place, place, number)
        if len(parts) > 2 and (number is not None or self._is_shared(title, parts)):
            return _title(title, parts, 1, 2, number)
        if len(parts) == 2 and (
            number is not None or hash(_prefix(title, parts, 1)) in self._daily
        ):
            return _title(title, parts, 1, 1, number)
        if number is not None:
            return Title(show=title, episode=number)
        return Title()

    def _of_season(self, title: str, parts: list[_Part], place: int, number: int | None) -> Title:
        """A title in which a part names the season. "Book One: Water" may be its whole name."""
        end = place + 1
        longer = len(parts) > end + 1 and not _IS_SEASON.fullmatch(parts[place].folded)
        if longer and not _NAMES_EPISODE.match(parts[end].folded):
            shared = self._sharing[hash(_prefix(title, parts, end + 1))]
            end += shared >= _EPISODES_OF_SEASON
        return _title(title, parts, place, end, number)

    def _is_shared(self, title: str, parts: list[_Part]) -> bool:
        """Whether another title begins with the same two parts: a show and a season with a name."""
        if _IS_PART.fullmatch(parts[-1].folded) and len(parts) == 3:
            return False  # "Saga: Dawn: Part 1" and "Part 2" are films
        return self._sharing[hash(_prefix(title, parts, 2))] > 1


def _split(title: str) -> list[_Part]:
    """The parts between colons, by their places in the title."""
    if len(title) > _MAX_CHARS:
        return []
    ends = [(found.start(), found.end()) for found in _SEPARATOR.finditer(title)]
    starts = [0, *(end for _, end in ends)]
    stops = [*(start for start, _ in ends), len(title)]
    return [
        _Part(start, stop, _fold(title[start:stop]).strip())
        for start, stop in zip(starts, stops, strict=True)
    ]


def _prefix(title: str, parts: list[_Part], count: int) -> str:
    return title[: parts[count - 1].end]


def _season_place(parts: list[_Part]) -> int:
    """Which part names the season; 0 where none does."""
    for place, part in enumerate(parts):
        if place and (
            part.folded in _NAMED_SEASONS
            or _IS_SEASON.fullmatch(part.folded)
            or _after_show(part.folded, parts[0].folded) is not None
        ):
            return place
    for place, part in enumerate(parts[:-1]):
        if place and (part.folded in _NAMED_PARTS or _IS_PART.fullmatch(part.folded)):
            return place
    return 0


def _title(title: str, parts: list[_Part], season: int, episode: int, number: int | None) -> Title:
    """The title whose season begins at one part and whose episode at another."""
    show = _prefix(title, parts, season)
    season_name = title[parts[season].start : parts[episode - 1].end] if episode > season else ""
    name = title[parts[episode].start :] if episode < len(parts) else ""
    if number is None:
        number = _number(_NAMES_EPISODE.match(_fold(name)))
    return Title(show, season_name, _season_number(season_name, show), name, number)


def _season_number(name: str, show: str) -> int | None:
    folded = _fold(name)
    found = _IS_SEASON.fullmatch(folded) or _IS_PART.match(folded)
    if found is not None:
        return _number(found)
    return _after_show(folded, _fold(show))


def _after_show(season: str, show: str) -> int | None:
    """The number of a season that is named after the show: "Stranger Things 4"."""
    rest = season.removeprefix(show)
    return _as_number(rest.strip()) if rest[:1].isspace() else None


def _number(found: re.Match[str] | None) -> int | None:
    if found is None:
        return None
    groups = found.groupdict()
    texts = (groups.get(name) for name in ("number", "word", "ordinal", "cjk"))
    return next((_as_number(text) for text in texts if text), None)


def _as_number(text: str) -> int | None:
    if text.isascii() and text.isdigit() and len(text) <= 4:
        return int(text)
    return _NUMBERS.get(text)


def _cut_suffix(title: str) -> tuple[str, int | None]:
    title = title.strip()
    bracket = title.rfind("(")
    if bracket <= 0 or len(title) > _MAX_CHARS:
        return title, None
    found = _SUFFIX.fullmatch(_fold(title[bracket:]))
    return (title, None) if found is None else (title[:bracket].rstrip(), int(found[1]))


def title_key(title: str) -> str:
    """The title for comparing: both files of the export agree on it."""
    return " ".join(_cut_suffix(title)[0].casefold().split())
