"""What asks for facts that the profile lists, and what does not."""

import pytest

from reqap.retrieve.facts import is_meant

HOME = "profile; event: moved to a new home; city: Leeds; address: Hill Road"
PET = "profile; event: got a pet; pet: Pixel; pet type: dog"
JOB = "profile; event: started a job; company: Brightwater Mills; role: weaver"
SCHOOL = "profile; event: started an education; school: Hillside College"
BORN = "profile; event: child was born; person: Noor; relation: daughter"


@pytest.mark.parametrize(
    ("query", "fact"),
    [
        ("I moved house", HOME),
        ("our moves", HOME),
        ("I moved to Leeds", HOME),
        ("we moved into a new flat", HOME),
        ("we got a pet", PET),
        ("we got Pixel", PET),
        ("Pixel came to live with us", PET),
        ("our newest pet", PET),
        ("we got a dog", PET),
        ("I started a new job", JOB),
        ("I joined Brightwater Mills", JOB),
        ("my schools", SCHOOL),
        ("I started at Hillside College", SCHOOL),
        ("my daughter was born", BORN),
    ],
)
def test_facts_are_meant(query: str, fact: str) -> None:
    assert [one for one in (HOME, PET, JOB, SCHOOL, BORN) if is_meant(query, one)] == [fact]


@pytest.mark.parametrize(
    "query",
    ["", "I moved to Oslo", "dinner at home", "I was at home", "Pixel at the vet", "my work",
     "we got Rex", "I got a haircut", "my home workouts", "my study sessions", "Noor",
     "Brightwater Mills", "birthday of my daughter", "the school play", "mails about the new flat"],
)  # fmt: skip
def test_what_else_is_said_means_something_else(query: str) -> None:
    assert not any(is_meant(query, one) for one in (HOME, PET, JOB, SCHOOL, BORN))
