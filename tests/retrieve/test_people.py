"""Who is meant in a query, under all names."""

import pytest

from reqap.profile import Profile
from reqap.retrieve.people import with_names

PROFILE = Profile.from_json(
    """{"name": "Ada Byron", "family": [
        {"name": "Galina Petrova", "relation": "mother", "nicknames": ["Galya"]},
        {"name": "Ivo Petrov", "relation": "brother"}],
      "friends": [{"name": "Tom Marsh", "nicknames": ["Big Tom"]}]}"""
)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("I met with my mum", "I met with my mum (Galina Petrova, Galya, mother)"),
        ("I met Galya", "I met Galya (Galina Petrova, mother)"),
        ("dinners with Big Tom", "dinners with Big Tom (Tom Marsh, friend)"),
        ("I went running", "I went running"),
        ("", ""),
    ],
)
def test_names_in_both_directions(query: str, told: str) -> None:
    assert with_names(query, PROFILE) == told
