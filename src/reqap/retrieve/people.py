"""People in a query: whom it means, under all the names by which events may speak of them."""

from reqap.profile import Person, Profile
from reqap.profile.relations import tokens

_MOST = 12


def with_names(query: str, profile: Profile) -> str:
    """The query, and behind it who is meant: "I met my mum (Galina Petrova, Galya)".

    In both directions: a relation gets its names, a name the relation and the nicknames.
    """
    people = profile.people_named(query)[:_MOST]
    said = set(tokens(query))
    told = [", ".join(names) for person in people if (names := _others(person, said))]
    return f"{query} ({'; '.join(told)})" if told else query


def _others(person: Person, said: set[str]) -> list[str]:
    """The names of somebody that bring a word which has not been said."""
    names = dict.fromkeys((person.name, *person.nicknames, person.relation))
    return [name for name in names if not said.issuperset(tokens(name))]
