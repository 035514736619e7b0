"""Who the user is: names, family, friends, jobs, schools, homes, pets and the time zone.

The profile is layer 0: the standard library, `errors`, `events` and `values`, nothing else. It is
kept by the store as JSON; its dated facts are events like any other.
"""

from reqap.profile.editing import add, field_named, remove, set_field
from reqap.profile.model import (
    Home,
    Item,
    Job,
    Json,
    Milestone,
    Person,
    Pet,
    Profile,
    School,
    When,
    zone_name,
)
from reqap.profile.reading import Reading, read_profile
from reqap.profile.suggesting import Contact, Suggestion, suggest_people

__all__ = [
    "Contact",
    "Home",
    "Item",
    "Job",
    "Json",
    "Milestone",
    "Person",
    "Pet",
    "Profile",
    "Reading",
    "School",
    "Suggestion",
    "When",
    "add",
    "field_named",
    "read_profile",
    "remove",
    "set_field",
    "suggest_people",
    "zone_name",
]
