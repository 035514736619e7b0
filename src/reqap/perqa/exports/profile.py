"""Writes who somebody is as a profile file (docs/profile.md)."""

from collections.abc import Iterable, Mapping

from reqap.perqa.exports.pack import to_json
from reqap.perqa.persona import FAMILY, Person, Persona, Stay


def profile(persona: Persona) -> bytes:
    partner = [person for person in persona.people if person.relation == "partner"]
    family = [person for person in persona.people if person.relation in FAMILY]
    friends = [person for person in persona.people if person.relation not in FAMILY]
    told: dict[str, object] = {
        "name": persona.name,
        "birth_date": persona.birth_date.isoformat(),
        "birth_place": persona.birth_city,
        "time_zone": persona.homes[-1].timezone,
        "family": [_person(person) for person in family if person not in partner],
        "friends": [_person(person) for person in friends],
        "pets": [
            {"name": pet.name, "type": pet.kind, "from": pet.start.isoformat(),
             "to": pet.end.isoformat() if pet.end else None}
            for pet in persona.pets
        ],
        "jobs": _stays(persona.jobs, {"company": "what", "role": "role"}),
        "schools": _stays(persona.schools, {"name": "what", "subject": "role"}),
        "homes": _stays(persona.homes, {"address": "what"}),
    }  # fmt: skip
    if partner:
        married = persona.married.isoformat() if persona.married else None
        told["partner"] = {**_person(partner[0]), "married_on": married}
    return to_json(told, indent=1) + b"\n"


def _person(person: Person) -> dict[str, object]:
    born = person.birth_date.isoformat() if person.birth_date else None
    told = {"name": person.name, "relation": person.relation, "birth_date": born,
            "nicknames": list(person.nicknames)}  # fmt: skip
    return {key: value for key, value in told.items() if value}


def _stays(stays: Iterable[Stay], names: Mapping[str, str]) -> list[dict[str, object]]:
    return [
        {
            **{name: getattr(stay, attribute) for name, attribute in names.items()},
            "city": stay.city,
            "from": stay.start.isoformat(),
            "to": stay.end.isoformat() if stay.end else None,
        }
        for stay in stays
    ]
