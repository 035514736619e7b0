"""English words: which of them say something, and in which forms an event may tell them.

Two words are the same when their stems are. Events are not stemmed: a query's word is spelled out
into all its forms, which are looked for as they stand. The tables are general English. Not the job
of this module: words that name a kind of event (`kinds`), names of people (`query`).
"""

import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache

from reqap.profile.relations import tokens, word_set

FUTURE = word_set("will upcoming next planned scheduled coming future tomorrow")
# "I went running" asks for the user's own doing, not for songs with that title.
OWN = word_set("i i'm i've my me mine we our ours us")
# Words that never tell events apart. Times are among them: those are for a FILTER to decide.
_STOP = (
    "a about after again ago all also always am an and any are around as at be because been"
    " before being between both but by can could did didn't do does doing don't done during each"
    " early either ever every few first for from had has have having he her here him his how if in"
    " into is it its just last late later latest least less many more most much near never nor not"
    " now of off often on once only or other out over own past per pm recent recently same she"
    " should since so some than that the their them then there these they this those through till"
    " to together too until up very via was were what when where which while who whom whose why"
    " with within without would you your today yesterday minute hour day week weekend month year"
    " daily weekly monthly yearly morning noon afternoon evening night spring summer autumn winter"
    " january february march april may june july august september october november december monday"
    " tuesday wednesday thursday friday saturday sunday"
)
# Words that frame what is meant ("I *went* running", "yoga *class*"): events seldom repeat them, so
# they count only where a query has nothing else.
_WEAK = (
    "go come play make take get attend visit eat see join enjoy stay travel spend use feel like"
    " love want need try write online new old favourite favorite good best product thing item"
    " instance event occasion activity session class lesson ride tour trip someone somebody"
    " something anyone anything people place name kind type sort number amount total list count"
    " cost price duration date time distance length location participant detail measurement record"
    " one entry history"
)
# A base form, and the forms that no rule gives. "Trained" goes with the sport, not the railway.
_FORMS = (
    "begin began begun, break broke broken, bring brought, build built, buy bought, catch caught,"
    " choose chose chosen, come came, drink drank drunk, drive drove driven, eat ate eaten, fall"
    " fell fallen, feel felt, find found, fly flew flown flight, forget forgot forgotten, get got"
    " gotten, give gave given, go went gone, hear heard, keep kept, leave left, lose lost, make"
    " made, meet met, pay paid, ride rode ridden, run ran, see saw seen, sell sold, send sent,"
    " sing sang sung, ski skied skiing, sleep slept, speak spoke spoken, spend spent, swim swam"
    " swum, take took taken, teach taught, tell told, think thought, training trained, wake woke"
    " woken, wear wore worn, win won, write wrote written, child children, foot feet, man men,"
    " person people, tooth teeth, wife wives, woman women"
)
_IRREGULAR = {form: group.split()[0] for group in _FORMS.split(",") for form in group.split()}
# Nouns that are no form of their verb: "wed", for one, is a weekday.
_WHOLE = word_set("training wedding building evening morning series news species tennis")
# Words for the same thing, group by group.
_SAME = (
    "football soccer, run jog, bike cycle bicycle, gym strength weightlifting, hike trek, walk"
    " stroll, climb boulder, holiday vacation trip travel, concert gig, party celebration,"
    " hairdresser haircut barber, flat apartment, physiotherapy physio, marry marriage wedding, gp"
    " physician, match game, cinema movie film, restaurant dine, food meal eat, paediatrician"
    " pediatrician, gynaecologist gynecologist, kindergarten nursery daycare"
)
# A general word, then special ones that it includes, but not the other way round.
_INCLUDES = (
    "doctor gp dentist dermatologist paediatrician gynaecologist cardiologist orthopaedist"
    " ophthalmologist optician, restaurant breakfast brunch lunch dinner bistro pizzeria trattoria"
    " steakhouse, food breakfast brunch lunch dinner supper restaurant"
)
_VOWELS = frozenset("aeiouy")


def fold(text: str) -> list[str]:
    """The words of a text, without case and accents."""
    # Taking accents off takes Korean syllables apart; they are put together again.
    return [unicodedata.normalize("NFC", word) for word in tokens(text)]


def stem(word: str) -> str:
    """The key that all forms of a word share; not a word itself."""
    word = _IRREGULAR.get(word, word)
    if len(word) > 3 and word not in _WHOLE:
        if word.endswith("ies"):
            word = word[:-3] + "y"
        elif word.endswith(("sses", "xes", "zes", "ches", "shes")):
            word = word[:-2]
        elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
            word = word[:-1]
    return word if len(word) < 4 or word in _WHOLE else _without_ending(word)


def _without_ending(word: str) -> str:
    for ending, instead, least in (("ied", "y", 2), ("ing", "", 3), ("ed", "", 3)):
        left = word.removesuffix(ending)
        if left != word and len(left) >= least and _VOWELS & set(left):
            word = left + instead
            break
    if len(word) > 3 and word.endswith("e"):
        word = word[:-2] + "y" if word.endswith("ie") else word[:-1]
    # Doubled consonants are halved in every form, so that "running" and "calling" both come home.
    doubled = len(word) > 3 and word[-1] == word[-2] and word[-1] not in _VOWELS
    return word[:-1] if doubled else word


@lru_cache(maxsize=4096)
def forms(key: str) -> frozenset[str]:
    """The words that have this stem: every ending is tried, and kept if it leads back."""
    tried = {key + d + end for d in ("", key[-1:]) for end in ("", "e", "s", "es", "ed", "ing")}
    tried |= {key[:-1] + end for end in ("ie", "ies", "ied")} | _IRREGULAR.keys()
    return frozenset(word for word in tried if stem(word) == key)


@cache
def _related() -> dict[str, frozenset[str]]:
    """Stem → stems that may stand for it."""
    groups = [frozenset(map(stem, group.split())) for group in _SAME.split(",")]
    same = {key: group for group in groups for key in group}
    related = dict(same)
    for group in _INCLUDES.split(","):
        general, *special = (same.get(key, frozenset((key,))) for key in map(stem, group.split()))
        for key in general:
            related[key] = general.union(*special)
    return related


def meanings(word: str) -> frozenset[str]:
    """All words that may stand in an event where the query says `word`."""
    key = stem(word)
    return frozenset((word, *(form for k in _related().get(key, {key}) for form in forms(k))))


WEAK = frozenset(map(stem, _WEAK.split()))
_STEMS = frozenset(map(stem, _STOP.split()))


def says_nothing(word: str) -> bool:
    return word.isdigit() or stem(word) in _STEMS or word in FUTURE | OWN


# Patterns. Words are letters, digits and apostrophes: nothing in them needs escaping.
_SHORT = 3


def folded_sql(text: str) -> str:
    """SQL for the words of a text, folded as `fold` does it, each between blanks."""
    plain = f"translate(strip_accents(lower({text})), 'ıøłđς', 'ioldσ')"
    plain = f"replace(replace({plain}, 'ß', 'ss'), 'æ', 'ae')"
    return rf"' ' || regexp_replace({plain}, '[^\pL\pN]+', ' ', 'g') || ' '"


def whole_words(phrases: Iterable[str]) -> str:
    """A pattern that finds these phrases among words as `folded_sql` gives them."""
    spaced = sorted({phrase.replace("'", " ") for phrase in phrases})
    # Chinese, Japanese and Korean leave no gap where a word ends.
    dense = [phrase for phrase in spaced if phrase[0] >= "\u2e80"]
    parted = "|".join(phrase for phrase in spaced if phrase[0] < "\u2e80")
    return "|".join([*dense, f" (?:{parted}) "] if parted else dense)


def sieve(phrases: Iterable[str]) -> str:
    """A pattern for JSON as it stands that finds all these phrases, and more.

    Folding a million events costs more than all the rest; this one needs no folding.
    """
    found: list[str] = []
    for first in sorted({phrase.split()[0] for phrase in phrases}):
        if not (found and len(found[-1]) > _SHORT and first.startswith(found[-1])):
            found.append(first)
    return "(?i)" + "|".join(map(_loosely, found))


def _loosely(word: str) -> str:
    """A pattern for what begins with a word, with any accents, "ß" for "ss" and "æ" for "ae"."""
    # A word begins behind anything but a letter, or behind an escaped character.
    pattern = r"(?:^|[^a-z]|\\(?:[bfnrt]|u....))" if word[0].isascii() else ""
    for before, letter in zip(" " + word, word, strict=False):
        pattern += f"[{letter}’À-ɏḀ-ỿ]" if letter.isascii() else r"[^\x00-\x7f]"
        pattern += "?" * (before + letter in ("ss", "ae")) + r"[\x{300}-\x{36f}]*"
    # Too many words begin with a short one.
    return pattern + "(?:[^a-z]|$)" * (len(word) <= _SHORT and word.isascii())
