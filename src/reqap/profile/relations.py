"""The words for how people are related to the user: synonyms, plurals, and what includes what.

English only, as questions are. Not the job of this module: whom a text means (`naming`).
"""

import re
import unicodedata
from collections.abc import Iterable

_LETTERS = str.maketrans({"ı": "i", "ø": "o", "æ": "ae", "ł": "l", "đ": "d"})
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Relation, and the other words for it. "*" marks the words that are used like a name ("call Mum").
_SYNONYMS: dict[str, str] = {
    "mother": "*mum, *mom, *mama, *mummy, *mommy, *mam, *mamma, *mumsy, ma",
    "father": "*dad, *daddy, *papa, pa, pop, pops",
    "parent": "",
    "stepmother": "step mother, stepmum, stepmom, step mum, step mom",
    "stepfather": "step father, stepdad, step dad",
    "sister": "sis, half sister, stepsister, step sister",
    "brother": "bro, half brother, stepbrother, step brother",
    "sibling": "",
    "son": "stepson, step son",
    "daughter": "stepdaughter, step daughter",
    "child": "kid, stepchild, baby",
    "grandmother": "*gran, *grandma, *granny, *nana, *nan, *grandmum",
    "grandfather": "*grandpa, *grandad, *granddad, *gramps, *granda",
    "grandparent": "",
    "grandson": "",
    "granddaughter": "",
    "grandchild": "grandkid",
    "aunt": "auntie, aunty",
    "uncle": "",
    "great aunt": "",
    "great uncle": "",
    "great grandmother": "great grandma, great gran",
    "great grandfather": "great grandpa, great grandad",
    "cousin": "",
    "niece": "",
    "nephew": "",
    "wife": "",
    "husband": "hubby",
    "spouse": "",
    "partner": "significant other, other half, better half, life partner",
    "girlfriend": "gf",
    "boyfriend": "bf",
    "fiance": "fiancee",
    "mother in law": "mum in law",
    "father in law": "dad in law",
    "sister in law": "",
    "brother in law": "",
    "son in law": "",
    "daughter in law": "",
    "in law": "",
    "godmother": "",
    "godfather": "",
    "godparent": "",
    "godson": "",
    "goddaughter": "",
    "godchild": "",
    "relative": "family member, relation",
    "friend": "mate, buddy, pal, bestie, bff",
    "boss": "manager, supervisor, line manager, team lead",
    "colleague": "coworker, co worker, workmate, teammate",
    "neighbor": "neighbour",
    "roommate": "flatmate, housemate, room mate, flat mate",
    "teacher": "",
    "classmate": "schoolmate",
    "ex": "ex husband, ex wife, ex partner, ex boyfriend, ex girlfriend",
}
_IRREGULAR = {"child": "children", "wife": "wives", "family member": "family members", "ex": "exes"}
# Words that only tell which one: a twin brother is a brother.
_ADJECTIVES = word_set(
    "twin older elder eldest oldest younger youngest little big best closest close good old dear"
    " late only middle adoptive adopted foster maternal paternal current new direct beloved"
)
# More general relations: who asks for the children means sons and daughters too.
_INCLUDES: dict[str, tuple[str, ...]] = {
    "parent": ("mother", "father"),
    "sibling": ("sister", "brother"),
    "child": ("son", "daughter"),
    "grandparent": ("grandmother", "grandfather"),
    "grandchild": ("grandson", "granddaughter"),
    "spouse": ("wife", "husband"),
    "partner": ("wife", "husband", "spouse", "girlfriend", "boyfriend", "fiance"),
    "godparent": ("godmother", "godfather"),
    "godchild": ("godson", "goddaughter"),
    "in law": tuple(name for name in _SYNONYMS if name.endswith(" in law")),
}
_NOT_KIN = word_set(
    "friend boss colleague neighbor roommate teacher classmate ex godmother godfather godparent"
    " godson goddaughter godchild"
)
_INCLUDES["relative"] = tuple(name for name in _SYNONYMS if name not in _NOT_KIN)
_FAMILY = {"family": "relative", "folks": "parent", "relatives": "relative"}


def words_of(text: str) -> list[str]:
    """The words of a text, without accents and possessive 's; hyphens part words."""
    decomposed = unicodedata.normalize("NFKD", text)
    plain = "".join(c for c in decomposed if not unicodedata.combining(c))
    return [word.removesuffix("'s") for word in _WORD.findall(plain.replace("’", "'"))]


def tokens(text: str) -> tuple[str, ...]:
    """The words of a text, folded so that spellings of one name agree."""
    return folded(words_of(text))


def folded(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(word.casefold().translate(_LETTERS) for word in words)


def _plural(name: str) -> str:
    if name in _IRREGULAR:
        return _IRREGULAR[name]
    if name.endswith("child"):
        return name + "ren"
    if name.endswith(" in law"):
        return name.replace(" in law", "s in law")
    if name.endswith("y") and name[-2] not in "aeiou":
        return name[:-1] + "ies"
    return name + ("es" if name.endswith("s") else "s")


def _phrases() -> tuple[dict[tuple[str, ...], str], frozenset[tuple[str, ...]]]:
    meanings: dict[tuple[str, ...], str] = {}
    names: set[tuple[str, ...]] = set()
    for relation, words in _SYNONYMS.items():
        for word in (relation, *filter(None, words.split(", "))):
            phrase = word.removeprefix("*")
            meanings[tuple(phrase.split())] = relation
            meanings[tuple(_plural(phrase).split())] = relation
            if word.startswith("*"):
                names.add(tuple(phrase.split()))
    meanings |= {(word,): relation for word, relation in _FAMILY.items()}
    meanings[("in", "laws")] = "in law"
    return meanings, frozenset(names)


# Every phrase for a relation, and those of them that stand for a person without "my".
PHRASES, NAME_LIKE = _phrases()
LONGEST = max(map(len, PHRASES))


def canonical(relation: str) -> str | None:
    """The relation that free words name: "my twin brother" is "brother"; None if we know none."""
    words = tokens(relation)
    if words[:1] in (("my",), ("our",)):
        words = words[1:]
    while words:
        for size in range(min(LONGEST, len(words)), 0, -1):
            rest = words[size:]
            if words[:size] in PHRASES and (not rest or rest[0] in ("from", "of", "at", "and")):
                return PHRASES[words[:size]]
        if words[0] not in _ADJECTIVES:
            return None
        words = words[1:]
    return None


def is_adjective(word: str) -> bool:
    return word in _ADJECTIVES


def included(relation: str) -> frozenset[str]:
    """The relations that count as `relation`: itself and the more special ones."""
    return frozenset((relation, *_INCLUDES.get(relation, ())))


def more_general(relation: str) -> frozenset[str]:
    """The relations that may be meant when nobody has `relation`: some only say "child"."""
    if relation in ("partner", "relative"):
        return frozenset()
    return frozenset(g for g, special in _INCLUDES.items() if relation in special) - {"relative"}


def written(relation: str) -> str:
    """A relation as it is written in a profile: "mother in law" as "mother-in-law"."""
    return relation.replace(" in law", "-in-law")
