"""Who is who in the demo life: the profile, birthdays, homes, and mail addresses."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date

from reqap.demo import bank

ME = "Inês Brandt"
NEW_FLAT_FROM = date(2024, 10, 12)
NEW_JOB_FROM = date(2025, 2, 1)

# Friends' birthdays are in her calendar, not in the profile.
FRIENDS_BORN = {
    "Merle Petersen": date(1990, 4, 30),
    "Aylin Demir": date(1992, 9, 12),
    "Katharina Vogt": date(1991, 11, 23),
    "Nadine Okafor": date(1988, 1, 27),
    "Hanna Lindqvist": date(1994, 8, 3),
    "Fenja Carstens": date(1989, 10, 19),
    "Sofia Marques": date(1991, 6, 2),
    "Beatriz Nogueira": date(1991, 5, 17),
    "Paul Reimers": date(1987, 3, 3),
    "Marek Zielinski": date(1988, 12, 1),
}


@dataclass(frozen=True)
class Birthday:
    """A birthday she keeps in her calendar."""

    name: str
    born: date


def profile_json() -> bytes:
    """The profile file, as it is written into the demo folder."""
    return bank.raw("profile.json").encode("utf-8")


def birthdays() -> list[Birthday]:
    """Family first, then friends."""
    profile = json.loads(bank.raw("profile.json"))
    family = [*profile["family"], profile["partner"]]
    known = [Birthday(str(who["name"]), date.fromisoformat(who["birth_date"])) for who in family]
    return known + [Birthday(name, born) for name, born in FRIENDS_BORN.items()]


def home_on(day: date) -> str:
    """The street she lives in on a day."""
    return "Bahrenfelder Straße 201" if day >= NEW_FLAT_FROM else "Osterstraße 118"


def postal_address(day: date) -> str:
    """Her address as a shop prints it."""
    postcode = "22765" if day >= NEW_FLAT_FROM else "20255"
    return f"{ME} {home_on(day)} Hamburg {postcode} DE"


def addresses() -> dict[str, str]:
    """Name to mail address."""
    return bank.strings("addresses.json")
