"""What the world knows and texts leave out: which cuisine a dish belongs to, which country a place,
which kind of doctor looks after eyes, what kind of place a trattoria is.

Small models know a few dishes and places; lists know thousands. Not the job of this package:
deciding what was asked for (`extract`), or what is found (`retrieve`); both take what is implied
here as a hint and decide themselves.
"""

from reqap.gazetteer.countries import (
    Place,
    common_countries,
    country_of,
    is_area,
    is_same,
    is_town,
    places,
)
from reqap.gazetteer.doctors import doctors, is_doctor
from reqap.gazetteer.food import Hint, hints, is_cuisine, local
from reqap.gazetteer.venues import kind_of_place, kinds_of_places

# Changes with the lists, and with how phrases are found.
VERSION = 4

__all__ = [
    "VERSION",
    "Hint",
    "Place",
    "common_countries",
    "country_of",
    "doctors",
    "hints",
    "is_area",
    "is_cuisine",
    "is_doctor",
    "is_same",
    "is_town",
    "kind_of_place",
    "kinds_of_places",
    "local",
    "places",
]
