"""The many spellings of the same field, as people and other programs write them."""

import re

from reqap.profile.model import Home, Item, Job, Milestone, Person, Pet, School
from reqap.profile.relations import tokens, word_set

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

_SINCE = "since from start start_date started begin began begin_date from_date start_year date_from"
_UNTIL = "until to end end_date ended left till to_date end_year date_to"
_CITY = "city town location place where"
_NOTE = "note notes comment comments remark remarks description about details"
_BIRTH = "birth_date birthday birthdate date_of_birth dob born bday birth_day"
_EMAILS = "emails email mail mails e_mail e_mails email_address email_addresses"
_NICKNAMES = "nicknames nickname nick nicks alias aliases aka also_known_as called short_name"

_PROFILE = {
    "name": "name full_name",
    "nicknames": _NICKNAMES,
    "gender": "gender sex",
    "birth_date": _BIRTH,
    "birth_place": "birth_place birthplace birth_city place_of_birth city_of_birth born_in",
    "time_zone": "time_zone timezone tz zone",
    "emails": _EMAILS,
    "people": "people person contacts acquaintances relations",
    "pets": "pets pet animals",
    "jobs": "jobs job career careers work works employment employments employers positions",
    "schools": "schools school education educations studies universities university",
    "homes": "homes home residences residence places_lived addresses housing",
    "milestones": "milestones milestone life_events events marriages marriage weddings wedding",
}
_ITEMS: dict[type[Item], dict[str, str]] = {
    Person: {
        "name": "name full_name",
        "relation": "relation relationship relation_type",
        "nicknames": _NICKNAMES,
        "birth_date": _BIRTH,
        "emails": _EMAILS,
        "note": _NOTE,
    },
    Pet: {
        "name": "name",
        "type": "type species kind animal pet_type",
        "since": _SINCE,
        "until": _UNTIL,
    },
    Job: {
        "company": "company employer organisation organization name firm workplace",
        "role": "role title position job job_title occupation profession",
        "city": _CITY,
        "since": _SINCE,
        "until": _UNTIL,
    },
    School: {
        "name": "name school university institution college organisation organization",
        "degree": "degree field subject program programme major qualification type level",
        "city": _CITY,
        "since": _SINCE,
        "until": _UNTIL,
    },
    Home: {
        "city": "city town location place name",
        "address": "address street",
        "since": f"{_SINCE} moved_in",
        "until": f"{_UNTIL} moved_out",
    },
    Milestone: {
        "event": "event name title what type milestone",
        "person": "person with who whom partner spouse",
        "city": _CITY,
        "since": f"{_SINCE} date on when day year",
        "until": _UNTIL,
        "note": _NOTE,
    },
}
# Dates that stand with a person but are facts of their own: the key, and the milestone it means.
DATED: dict[str, str] = {
    **dict.fromkeys(
        ("married_on", "married", "wedding", "wedding_date", "marriage_date", "married_since"),
        "married",
    ),
    **dict.fromkeys(("together_since", "dating_since", "relationship_since"), "became a couple"),
    **dict.fromkeys(("died", "died_on", "death_date", "date_of_death"), "death"),
    **dict.fromkeys(("divorced", "divorced_on", "divorce_date"), "divorced"),
}
HOME_CITY = word_set("home_city city current_city lives_in living_in")
WEDDING = word_set("marriages marriage weddings wedding")
FAMILY = word_set("family relatives family_members")


def _turned(spellings: dict[str, str]) -> dict[str, str]:
    return {word: field for field, words in spellings.items() for word in words.split()}


PROFILE_FIELDS = _turned(_PROFILE)
ITEM_FIELDS: dict[type[Item], dict[str, str]] = {
    kind: _turned(spellings) for kind, spellings in _ITEMS.items()
}


def normal(key: str) -> str:
    """A key in lower_snake_case: "birthDate", "Birth date" and "birth-date" agree."""
    return "_".join(tokens(_HUMP.sub(" ", key[:200])))
