"""The profile: liberal reading, writing back, whom texts mean, facts, edits, suggestions."""

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reqap.errors import ProfileProblem
from reqap.events import Event, Origin
from reqap.profile import (
    Contact,
    Home,
    Item,
    Job,
    Milestone,
    Person,
    Pet,
    Profile,
    School,
    Suggestion,
    When,
    add,
    read_profile,
    remove,
    set_field,
    suggest_people,
    zone_name,
)
from reqap.profile.model import is_blank
from reqap.profile.naming import Naming

TODAY = date(2026, 1, 15)


def when(text: str) -> When:
    found = When.of(text)
    assert found is not None
    return found


# -- the parts -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2019", date(2019, 1, 1), date(2019, 12, 31)),
        ("2020-02", date(2020, 2, 1), date(2020, 2, 29)),
        ("August 2019", date(2019, 8, 1), date(2019, 8, 31)),
        ("2019-08-17", date(2019, 8, 17), date(2019, 8, 17)),
        ("17.08.2019", date(2019, 8, 17), date(2019, 8, 17)),
    ],
)
def test_partial_dates_stay_as_written_and_cover_days(text: str, first: date, last: date) -> None:
    assert when(text) == When(text, first, last)
    profile = Profile(jobs=(Job("Acme", since=when(text)),))
    assert json.loads(profile.to_json())["jobs"][0]["since"] == text


@pytest.mark.parametrize("text", ["present", "Now", "", None, "n/a", "ongoing"])
def test_no_date(text: str | None) -> None:
    assert When.of(text) is None


def test_constructors_name_the_field() -> None:
    with pytest.raises(ProfileProblem, match="person: name is missing"):
        Person("")
    with pytest.raises(ProfileProblem, match="person: name must be a text, not int"):
        Person(5)  # type: ignore[arg-type]
    with pytest.raises(ProfileProblem, match="person: birth_date must be a date, not str"):
        Person("Ann", birth_date="1990")  # type: ignore[arg-type]
    with pytest.raises(ProfileProblem, match=r"profile: emails: 'ann' is no e-mail address"):
        Profile(emails=("ann",))
    with pytest.raises(ProfileProblem, match=r"job: until \(2018\) comes before since \(2019\)"):
        Job("Acme", since=when("2019"), until=when("2018"))
    with pytest.raises(ProfileProblem, match="home: address or city is missing"):
        Home()
    with pytest.raises(ProfileProblem, match="pets must be a tuple of Pet"):
        Profile(pets=[Pet("Rex")])  # type: ignore[arg-type]
    with pytest.raises(ProfileProblem, match="control characters"):
        Pet("Rex\n")


def test_until_may_lie_within_a_partial_since() -> None:
    assert Job("Acme", since=when("2019"), until=when("2019-03-01")).until is not None


def test_time_zones() -> None:
    assert zone_name("europe/berlin") == "Europe/Berlin"
    assert zone_name("America/New York") == "America/New_York"
    assert zone_name("Nairobi") == "Africa/Nairobi"
    with pytest.raises(ProfileProblem, match=r"time_zone: .*'Europe/Berln'.*Europe/Berlin"):
        Profile(time_zone="Europe/Berln")
    with pytest.raises(ProfileProblem, match="Names look like Europe/Berlin"):
        zone_name("../../etc/passwd")
    with pytest.raises(ProfileProblem, match="is written 'Europe/Berlin'"):
        Profile(time_zone="Berlin")


# -- reading ---------------------------------------------------------------------------------------

PERQA_SHAPE = {
    "name": "Marta Kowalczyk",
    "gender": "female",
    "birth_date": "1988-11-03",
    "birth_city": "Gdynia",
    "mother": "Ewa Kowalczyk",
    "father": {"name": "Piotr Kowalczyk", "birth_date": "1959"},
    "siblings": ["Jan Kowalczyk (brother)", "Olga Nowak"],
    "kids": [{"name": "Zosia Kowalczyk", "birthdate": "2019-04-30"}],
    "pets": [{"name": "Burek", "type": "dog", "start_date": "2012-05", "end_date": "2020-01-09"}],
    "friends": ["Iga Zielna", "Leon Wrona"],
    "education": [
        {"school": "AGH", "city": "Krakow", "start_date": "2007-10", "end_date": "2012-06"}
    ],
    "career": [
        {"company": "Solaris", "city": "Poznan", "start_date": "2013-01-07", "end_date": "2018"},
        {"company": "Fala", "city": "Gdansk", "start_date": "2018-09", "end_date": "present"},
    ],
    "residences": [{"city": "Gdansk", "start_date": "2018-08-01", "end_date": None}],
    "favorite_songs": ["Song A", "Song B"],
    "movies_per_week": 1.5,
}


def test_the_shape_of_perqa_personas() -> None:
    profile, notes = read_profile(json.dumps(PERQA_SHAPE))
    assert profile == Profile(
        name="Marta Kowalczyk",
        gender="female",
        birth_date=when("1988-11-03"),
        birth_place="Gdynia",
        people=(
            Person("Ewa Kowalczyk", "mother"),
            Person("Piotr Kowalczyk", "father", birth_date=when("1959")),
            Person("Jan Kowalczyk", "brother"),
            Person("Olga Nowak", "sibling"),
            Person("Zosia Kowalczyk", "child", birth_date=when("2019-04-30")),
            Person("Iga Zielna", "friend"),
            Person("Leon Wrona", "friend"),
        ),
        pets=(Pet("Burek", "dog", when("2012-05"), when("2020-01-09")),),
        schools=(School("AGH", "", "Krakow", when("2007-10"), when("2012-06")),),
        jobs=(
            Job("Solaris", "", "Poznan", when("2013-01-07"), when("2018")),
            Job("Fala", "", "Gdansk", when("2018-09")),
        ),
        homes=(Home("Gdansk", since=when("2018-08-01")),),
        other={"favorite_songs": ["Song A", "Song B"], "movies_per_week": 1.5},
    )
    assert notes == (
        "'favorite_songs' is not a field I know; it is kept as it is",
        "'movies_per_week' is not a field I know; it is kept as it is",
    )


def test_a_life_with_nicknames_by_relation() -> None:
    text = json.dumps(
        {
            "profile": {
                "name": "Dev Anand Rao",
                "home_city": "Pune",
                "timezone": "Asia/Kolkata",
                "mother": "Lata Rao",
                "partner": "Mira Sen",
                "partner_died": "2021-03-05",
                "siblings": [],
                "father": None,
                "friends": [{"name": "Kabir Shah", "nicknames": ["Kabs"]}],
                "relatives": [{"name": "Usha Rao", "relation": "aunt", "nicknames": ["Ushi"]}],
                "grandchildren": [{"name": "Tara", "birth_date": "2022-02-02"}],
                "education": [{"school": "COEP", "from": "1999", "to": "2003"}],
                "career": [{"company": "Infra", "role": "engineer", "from": "2003", "to": "now"}],
                "nicknames": {
                    "mum": "Aai, Amma",
                    "me": "Devu",
                    "Kabir Shah": "KS",
                    "grandmother (Indu Rao)": "Aaji",
                    "great-aunt": "Mavshi",
                    "uncle Ravi Rao": "Kaka",
                    "the shop": "Corner",
                },
            },
            "texts": [1, 2, 3],
        }
    )
    profile, notes = read_profile(text)
    assert profile.nicknames == ("Devu",)
    assert profile.time_zone == "Asia/Kolkata"
    assert profile.homes == (Home("Pune"),)
    assert profile.people == (
        Person("Lata Rao", "mother", ("Aai", "Amma")),
        Person("Mira Sen", "partner"),
        Person("Kabir Shah", "friend", ("Kabs", "KS")),
        Person("Usha Rao", "aunt", ("Ushi",)),
        Person("Tara", "grandchild", birth_date=when("2022-02-02")),
        Person("Indu Rao", "grandmother", ("Aaji",)),
        Person("Mavshi", "great-aunt"),
        Person("Ravi Rao", "uncle", ("Kaka",)),
    )
    assert profile.milestones == (Milestone("death", "Mira Sen", since=when("2021-03-05")),)
    assert profile.other == {"nicknames_of_others": {"the shop": "Corner"}}
    assert notes == (
        'only the part "profile" was read',
        "whose nickname 'the shop' is, is not clear; it is kept as it is",
    )
    assert Profile.from_json(profile.to_json()) == profile


def test_many_spellings() -> None:
    profile, notes = read_profile(
        json.dumps(
            {
                "Full Name": "Ann Lee",
                "dateOfBirth": 1990,
                "birth-place": "Oslo",
                "e-mail": "ann@lee.example, al@work.example",
                "family": {"mother": "Bo Lee", "sisters": ["Cy Lee", {"name": "Di Lee"}]},
                "wife": {"first_name": "Eve", "last_name": "Lee", "married_on": "2015-06-20"},
                "work": {"employer": "Acme", "position": "cook", "begin": "03/2014"},
                "universities": "UiO",
                "homes": ["Bergen"],
                "pet": "Rex (dog)",
                "contacts": {"Flo Ek": {"relationship": "best friend"}, "Gus Ek": "Gussie"},
                "colleagues": "Hal Oh, Ida Oh and Jon Oh",
                "milestones": [{"event": "citizenship", "date": "2020-05"}],
                "wedding": {"date": "2015-06-20", "with": "Eve Lee"},
            }
        )
    )
    assert notes == ()
    assert profile == Profile(
        name="Ann Lee",
        birth_date=when("1990"),
        birth_place="Oslo",
        emails=("ann@lee.example", "al@work.example"),
        people=(
            Person("Bo Lee", "mother"),
            Person("Cy Lee", "sister"),
            Person("Di Lee", "sister"),
            Person("Eve Lee", "wife"),
            Person("Flo Ek", "best friend"),
            Person("Gus Ek", nicknames=("Gussie",)),
            Person("Hal Oh", "colleague"),
            Person("Ida Oh", "colleague"),
            Person("Jon Oh", "colleague"),
        ),
        pets=(Pet("Rex", "dog"),),
        jobs=(Job("Acme", "cook", since=when("03/2014")),),
        schools=(School("UiO"),),
        homes=(Home("Bergen"),),
        milestones=(
            Milestone("married", "Eve Lee", since=when("2015-06-20")),
            Milestone("citizenship", since=when("2020-05")),
            Milestone("married", "Eve Lee", since=when("2015-06-20")),
        ),
    )


def test_one_person_told_twice_is_one() -> None:
    profile = Profile.from_json(
        '{"mother": "Bo Lee", "family": [{"name": "bo lee", "nicknames": ["Bobo"]}],'
        ' "friends": ["Bo Lee"]}'
    )
    assert profile.people == (
        Person("Bo Lee", "mother", ("Bobo",)),
        Person("Bo Lee", "friend"),
    )


def test_what_is_malformed_is_kept_and_told() -> None:
    text = json.dumps(
        {
            "name": ["not", "a", "name"],
            "birth_date": "03/04/1990",
            "timezone": "Europe/Berln",
            "emails": ["ann@lee.example", 7],
            "pets": [{"name": "Rex", "since": "one day"}, 5, {"type": "cat"}],
            "jobs": [{"company": "Acme", "from": "2019", "since": "2018", "to": "2001"}],
            "friends": [{"nicknames": ["X"]}, {"name": "Tom", "shoe size": 44}],
            "shoe_size": 38,
        }
    )
    profile, notes = read_profile(text)
    assert profile.name == ""
    assert profile.emails == ("ann@lee.example",)
    assert profile.pets == (Pet("Rex", other={"since": "one day"}),)
    assert profile.jobs == ()
    assert profile.people == (Person("Tom", "friend", other={"shoe size": 44}),)
    written = json.loads(profile.to_json())
    assert written["name"] == ["not", "a", "name"]
    assert written["birth_date"] == "03/04/1990"
    assert written["timezone"] == "Europe/Berln"
    assert written["emails"] == ["ann@lee.example", 7]
    assert written["pets"] == [{"name": "Rex", "since": "one day"}, 5, {"type": "cat"}]
    assert written["jobs"] == [{"company": "Acme", "from": "2019", "since": "2018", "to": "2001"}]
    assert written["shoe_size"] == 38
    told = "\n".join(notes)
    for part in ("'name'", "ambiguous", "Europe/Berlin", "'pets'", "'friends'", "shoe size"):
        assert part in told
    assert "until (2001) comes before since (2019)" in told
    assert read_profile(profile.to_json()).profile == profile


def test_odd_ways_to_write_people() -> None:
    profile, notes = read_profile(
        json.dumps(
            {
                "mother_birth_date": "1960",
                "mother_name": "Bo Lee",
                "family": {"Tom": 5, "Una": None, "Vic": {"type": "uncle"}},
                "colleagues": [{"name": "Wim", "role": "designer"}],
                "grandmother": {"name": "Olga Lee", "nickname": "Nan"},
                "sister_shoe_size": 38,
            }
        )
    )
    assert profile.people == (
        Person("Una", "relative"),
        Person("Vic", "uncle"),
        Person("Wim", "colleague", other={"role": "designer"}),
        Person("Olga Lee", "grandmother", ("Nan",)),
        Person("Bo Lee", "mother"),
    )
    assert profile.other == {
        "family": [{"Tom": 5}],
        "mother_birth_date": "1960",
        "sister_shoe_size": 38,
    }
    assert len(notes) == 4
    again, _ = read_profile('{"mother": "Bo Lee", "mother_birth_date": "1960"}')
    assert again.people == (Person("Bo Lee", "mother", birth_date=when("1960")),)


def test_a_huge_profile_is_read_in_no_time() -> None:
    names = [f"Friend {n}" for n in range(20_000)]
    nicknames = {f"Friend {n}": f"F{n}" for n in range(600)}
    profile, _ = read_profile(json.dumps({"friends": names, "nicknames": nicknames}))
    assert len(profile.people) == 20_000
    with pytest.raises(ProfileProblem, match="too many for a profile"):
        read_profile(json.dumps({"friends": ["x" * 100] * 20_000}))


def test_a_field_twice_keeps_both() -> None:
    profile, notes = read_profile('{"name": "Ann", "full_name": "Ann Lee", "Name": "Anna"}')
    assert profile.name == "Ann"
    assert profile.other == {"full_name": "Ann Lee", "Name": "Anna"}
    assert len(notes) == 2
    again, _ = read_profile('{"since": 1, "birthday": "soon", "birth_date": "1990"}')
    assert again.birth_date == when("1990")
    assert again.other == {"since": 1, "birthday": "soon"}
    taken, _ = read_profile('{"birth_date": "soon", "birthday": "1990"}')
    assert taken.other == {"other birth_date": "soon"}
    assert Profile.from_json(taken.to_json()) == taken


@pytest.mark.parametrize(
    "text", ["", "null", "[]", "{", '"name"', "[" * 100_000, '{"a": ' * 60 + "1" + "}" * 60]
)
def test_what_is_no_profile(text: str) -> None:
    with pytest.raises(ProfileProblem):
        Profile.from_json(text)


def test_text_that_cannot_be_stored_is_cleaned() -> None:
    profile = Profile.from_json('{"name": "A\\ud800 \\u0000 B", "x": NaN, "y": 1e999}')
    assert profile.name == "A? B"
    assert profile.other == {"x": None, "y": None}
    profile.to_json().encode()


_words = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"]),
    min_size=1,
    max_size=12,
)
_optional = st.one_of(st.just(""), _words)
_date = st.one_of(
    st.integers(1900, 2099).map(str),
    st.dates(date(1900, 1, 1), date(2099, 12, 31)).map(str),
    st.builds("{}-{:02}".format, st.integers(1900, 2099), st.integers(1, 12)),
).map(when)
_spans = st.tuples(st.none() | _date, st.none() | _date).map(
    lambda two: (two[1], two[0]) if all(two) and two[1].last < two[0].first else two  # type: ignore[union-attr]
)
_names = _words.filter(lambda text: not is_blank(text))
_text = st.one_of(st.just(""), _names)
_lists = st.lists(_names.filter(lambda t: "," not in t and ";" not in t), max_size=3, unique=True)
_emails = st.lists(_names.map(lambda t: f"{t}@x"), max_size=2, unique=True).map(tuple)
_other = st.dictionaries(
    _words.map(lambda t: f"zz {t}"), st.none() | st.booleans() | st.integers(-9, 9) | _words
)


def _dated(kind: Callable[..., Item], texts: int) -> st.SearchStrategy[Item]:
    def build(name: str, more: list[str], span: tuple[When, When], other: object) -> Item:
        return kind(name, *more, since=span[0], until=span[1], other=other)

    more = st.lists(_text, min_size=texts - 1, max_size=texts - 1)
    return st.builds(build, _names, more, _spans, _other)


profiles = st.builds(
    Profile,
    name=_text,
    nicknames=_lists.map(tuple),
    gender=_text,
    birth_date=st.none() | _date,
    birth_place=_text,
    time_zone=st.sampled_from(["", "Europe/Berlin", "America/New_York", "UTC"]),
    emails=_emails,
    people=st.lists(
        st.builds(
            Person, _names, _text, _lists.map(tuple), st.none() | _date, _emails, _text, _other
        ),
        max_size=3,
    ).map(tuple),
    pets=st.lists(_dated(Pet, 2), max_size=2).map(tuple),
    jobs=st.lists(_dated(Job, 3), max_size=2).map(tuple),
    schools=st.lists(_dated(School, 3), max_size=2).map(tuple),
    homes=st.lists(
        st.builds(lambda c, a, s: Home(c, a, s[0], s[1]), _names, _text, _spans), max_size=2
    ).map(tuple),
    milestones=st.lists(
        st.builds(lambda e, p, s: Milestone(e, p, "", s[0], s[1]), _names, _text, _spans),
        max_size=2,
    ).map(tuple),
    other=_other,
)


@settings(max_examples=60)
@given(profiles)
def test_round_trip(profile: Profile) -> None:
    assert Profile.from_json(profile.to_json()) == profile


_KEYS = (
    st.sampled_from(
        [
            "name",
            "nicknames",
            "birth_date",
            "birthday",
            "birth",
            "timezone",
            "emails",
            "family",
            "people",
            "mother",
            "kids",
            "siblings",
            "friends",
            "partner",
            "pets",
            "jobs",
            "career",
            "education",
            "homes",
            "home_city",
            "milestones",
            "wedding",
            "relation",
            "since",
            "from",
            "to",
            "until",
            "city",
            "company",
            "school",
            "type",
            "role",
            "person",
            "date",
            "married_on",
            "partner_died",
            "me",
            "mum",
            "mother_name",
            "mother_birth_date",
            "first_name",
            "other",
        ]
    )
    | _words
)
_VALUES = st.sampled_from(
    ["Ann", "2019", "2019-13", "soon", "", "a@b", "Tom (brother)", "Europe/Paris", "\ud800", "-"]
)
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _VALUES | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=80)
@given(st.dictionaries(_KEYS, _json, max_size=8))
def test_liberal_reading_never_fails_and_settles(document: dict[str, object]) -> None:
    """Whatever JSON comes in, something comes out, and what comes out stays as it is."""
    profile, notes = read_profile(json.dumps(document))
    again = read_profile(profile.to_json()).profile
    assert again == profile
    assert all(len(note) <= 300 for note in notes)
    profile.to_json().encode()
    assert len({event.id for event in profile.facts(TODAY)}) == len(profile.facts(TODAY))
    profile.people_named("my mum, Ann and my siblings")


@given(st.text(max_size=40) | st.binary(max_size=40).map(lambda raw: raw.decode("latin-1")))
def test_any_text_is_a_profile_or_a_profile_problem(text: str) -> None:
    with suppress(ProfileProblem):
        Profile.from_json(text)


# -- whom a text means -----------------------------------------------------------------------------

FAMILY = Profile(
    name="Ann Lee",
    nicknames=("Annie",),
    emails=("ann@lee.example",),
    people=(
        Person("Bo Lee", "mother", ("Bobo",)),
        Person("Carl Lee", "father"),
        Person("Dina Lee", "twin sister"),
        Person("Emil Lee", "brother"),
        Person("Fay Marie Stone", "wife"),
        Person("Gil Stone", "child"),
        Person("Hana Stone", "daughter"),
        Person("Ines Stone", "mother-in-law"),
        Person("José O'Neil", "best friend", ("Pepe",)),
        Person("Karl-Heinz Grün", "boss"),
        Person("Emil Sorge", "colleague"),
        Person("Will May", "friend"),
        Person("Olga Lee", "grandmother"),
    ),
)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Bo Lee", ["Bo Lee"]),
        ("bobo's birthday", ["Bo Lee"]),
        ("my mom", ["Bo Lee"]),
        ("When did I last call Mum?", ["Bo Lee"]),
        ("mother and father", ["Bo Lee", "Carl Lee"]),
        ("trips with my parents", ["Bo Lee", "Carl Lee"]),
        ("a mother and child film", []),
        ("my sis", ["Dina Lee"]),
        ("my twin sister’s wedding", ["Dina Lee"]),
        ("my siblings", ["Dina Lee", "Emil Lee"]),
        ("my little brother", ["Emil Lee"]),
        ("my kids", ["Gil Stone", "Hana Stone"]),
        ("my son", ["Gil Stone"]),
        ("my daughter", ["Hana Stone"]),
        ("my partner", ["Fay Marie Stone"]),
        ("my husband", []),
        ("my mother-in-law", ["Ines Stone"]),
        ("my mother in law", ["Ines Stone"]),
        ("my in-laws", ["Ines Stone"]),
        ("my boss", ["Karl-Heinz Grün"]),
        ("the boss level of the game", []),
        ("gran", ["Olga Lee"]),
        ("my friends", ["José O'Neil", "Will May"]),
        ("lunch with jose", ["José O'Neil"]),
        ("lunch with PEPE", ["José O'Neil"]),
        ("karl heinz", ["Karl-Heinz Grün"]),
        ("Emil", []),
        ("emil sorge and fay", ["Emil Sorge", "Fay Marie Stone"]),
        ("Fay Stone", ["Fay Marie Stone"]),
        ("Where will I be in May?", []),
        ("Did I meet Will in May?", ["Will May"]),
        ("Dad, Dina and Dad again", ["Carl Lee", "Dina Lee"]),
        ("", []),
        ("my", []),
    ],
)
def test_people_named(text: str, names: list[str]) -> None:
    assert [person.name for person in FAMILY.people_named(text)] == names


def test_names_in_one_breath() -> None:
    naming = Naming(FAMILY)
    said = "promised my mum, Pepe & the neighbours a cake, then off with Will May and my dad"
    assert [[one.name for one in people] for people in naming.lists(said)] == [
        ["Bo Lee", "José O'Neil"],
        ["Will May", "Carl Lee"],
    ]
    assert naming.lists("Pepe, who called my mum") == []


def test_the_family_is_everybody_related() -> None:
    family = {person.name for person in FAMILY.people_named("my family")}
    others = {"José O'Neil", "Karl-Heinz Grün", "Emil Sorge", "Will May"}
    assert family == {person.name for person in FAMILY.people} - others


def test_who() -> None:
    assert FAMILY.who == ("Ann Lee", "Ann", "Annie", "ann@lee.example")
    assert Profile().who == ()
    assert Profile(name="Ann").who == ("Ann",)


# -- facts -----------------------------------------------------------------------------------------


def test_facts() -> None:
    profile = Profile(
        name="Ann Lee",
        birth_date=when("1990-02-03"),
        birth_place="Oslo",
        people=(
            Person("Hana", "daughter", birth_date=when("2020-02")),
            Person("Bo", "mother", birth_date=when("1960-01-01")),
            Person("Fay", "wife"),
        ),
        schools=(School("UiO", "BA", "Oslo", when("2009"), when("2012")),),
        jobs=(
            Job("Acme", "cook", "Oslo", when("2013-05-01"), when("2019-03")),
            Job("Shopify", since=when("2019-04")),
            Job("Later", since=when("2026-02-01")),
            Job("Never dated"),
        ),
        homes=(Home("Bergen", until=when("2001-07-31")),),
        pets=(Pet("Rex", "dog", when("2015-01-02"), when("2021-01-01")),),
        milestones=(Milestone("married", "Fay", "Rome", when("2018-06-09")),),
    )
    events = profile.facts(TODAY)
    assert [(e.start, e.end, e.data) for e in events] == [
        (
            datetime(1990, 2, 3),
            datetime(1990, 2, 3, 23, 59, 59),
            {
                "event": "was born",
                "person": "Ann Lee",
                "relation": "self",
                "city": "Oslo",
                "date": "1990-02-03",
            },
        ),
        (
            datetime(2020, 2, 1),
            datetime(2020, 2, 29, 23, 59, 59),
            {
                "event": "child was born",
                "person": "Hana",
                "relation": "daughter",
                "date": "2020-02",
            },
        ),
        (
            datetime(2009, 1, 1),
            datetime(2012, 12, 31, 23, 59, 59),
            {
                "event": "started an education",
                "school": "UiO",
                "degree": "BA",
                "city": "Oslo",
                "since": "2009",
                "until": "2012",
            },
        ),
        (
            datetime(2013, 5, 1),
            datetime(2019, 3, 31, 23, 59, 59),
            {
                "event": "started a job",
                "company": "Acme",
                "role": "cook",
                "city": "Oslo",
                "since": "2013-05-01",
                "until": "2019-03",
            },
        ),
        (
            datetime(2019, 4, 1),
            datetime(2026, 1, 15, 23, 59, 59),
            {"event": "started a job", "company": "Shopify", "since": "2019-04", "ongoing": True},
        ),
        (
            datetime(2026, 2, 1),
            datetime(2026, 2, 1, 23, 59, 59),
            {"event": "started a job", "company": "Later", "since": "2026-02-01"},
        ),
        (
            datetime(2001, 7, 31),
            datetime(2001, 7, 31, 23, 59, 59),
            {"event": "moved out of a home", "city": "Bergen", "until": "2001-07-31"},
        ),
        (
            datetime(2015, 1, 2),
            datetime(2021, 1, 1, 23, 59, 59),
            {
                "event": "got a pet",
                "pet": "Rex",
                "pet_type": "dog",
                "since": "2015-01-02",
                "until": "2021-01-01",
            },
        ),
        (
            datetime(2018, 6, 9),
            datetime(2018, 6, 9, 23, 59, 59),
            {
                "event": "married",
                "person": "Fay",
                "relation": "wife",
                "city": "Rome",
                "date": "2018-06-09",
            },
        ),
    ]
    for index, event in enumerate(events):
        assert isinstance(event, Event)
        assert (event.source, event.kind, event.offset) == ("profile", "profile", None)
        assert event.origin == Origin("profile", index)
        assert not event.user_zone


def test_ids_of_facts_are_stable_by_content() -> None:
    job = Job("Acme", since=when("2019-04-01"))
    (first,) = Profile(jobs=(job,)).facts(TODAY)
    richer = Job("ACME", "cook", "Oslo", when("April 1, 2019"), when("2020"))
    other, again = Profile(jobs=(Job("B", since=when("2001")), richer)).facts(TODAY)
    assert again.id == first.id != other.id
    twice = Profile(jobs=(job, job)).facts(TODAY)
    assert twice[0].id == first.id != twice[1].id


# -- edits -----------------------------------------------------------------------------------------


def test_set_field() -> None:
    profile = set_field(Profile(), "Timezone", "berlin")
    assert profile == Profile(time_zone="Europe/Berlin")
    assert set_field(profile, "time_zone", "") == Profile()
    assert set_field(profile, "nicknames", "Jo, Jojo").nicknames == ("Jo", "Jojo")
    assert set_field(profile, "birthday", "1990-05").birth_date == when("1990-05")
    with pytest.raises(ProfileProblem, match=r"'nam'\. Did you mean name"):
        set_field(profile, "nam", "Ann")
    with pytest.raises(ProfileProblem, match="jobs is a list"):
        set_field(profile, "career", "Acme")
    with pytest.raises(ProfileProblem, match="birth_date: 'soon' is not a date"):
        set_field(profile, "birth_date", "soon")


def test_setting_a_field_settles_what_could_not_be_used() -> None:
    profile = Profile.from_json('{"timezone": "Europe/Berln", "x": 1}')
    assert set_field(profile, "time_zone", "Europe/Berlin") == Profile(
        time_zone="Europe/Berlin", other={"x": 1}
    )


def test_add() -> None:
    profile = add(Profile(), "friends", {"name": "Tom Baker", "nicknames": ["Tommy"]})
    assert profile.people == (Person("Tom Baker", "friend", ("Tommy",)),)
    assert add(Profile(), "mum", {"name": "Bo"}).people == (Person("Bo", "mother"),)
    assert add(Profile(), "twin brother", {"name": "Al"}).people == (Person("Al", "twin brother"),)
    assert add(Profile(), "person", {"name": "Al", "relation": "tenor"}).people == (
        Person("Al", "tenor"),
    )
    assert add(Profile(), "job", {"company": "Acme", "since": "2019"}).jobs == (
        Job("Acme", since=when("2019")),
    )
    assert add(Profile(), "home", {"city": "Rome"}).homes == (Home("Rome"),)
    with pytest.raises(ProfileProblem, match="Tom Baker is in your people already"):
        add(profile, "friend", {"name": "tom baker"})
    with pytest.raises(ProfileProblem, match=r"There is no kind 'frend'\. Did you mean friend"):
        add(profile, "frend", {"name": "Al"})
    with pytest.raises(ProfileProblem, match="pet: there is no field 'city'"):
        add(profile, "pet", {"name": "Rex", "city": "Rome"})
    with pytest.raises(ProfileProblem, match="'soon' is not a date"):
        add(profile, "pet", {"name": "Rex", "since": "soon"})
    with pytest.raises(ProfileProblem, match="pet: name is missing"):
        add(profile, "pet", {"type": "dog"})


def test_remove() -> None:
    assert len(remove(FAMILY, "friend", "Pepe").people) == len(FAMILY.people) - 1
    assert Person("Carl Lee", "father") not in remove(FAMILY, "dad", "Carl Lee").people
    assert Person("Carl Lee", "father") not in remove(FAMILY, "person", "carl").people
    with pytest.raises(ProfileProblem, match=r"There is no friend 'Bo Lee'\. There are: José"):
        remove(FAMILY, "friend", "Bo Lee")
    with pytest.raises(ProfileProblem, match="several person 'Emil'"):
        remove(FAMILY, "person", "Emil")
    stays = Profile(homes=(Home("Rome", since=when("2001")), Home("Rome", since=when("2015-03"))))
    with pytest.raises(ProfileProblem, match="There are: Rome 2001, Rome 2015-03"):
        remove(stays, "home", "Rome")
    assert remove(stays, "home", "rome 2015").homes == (Home("Rome", since=when("2001")),)


# -- suggestions -----------------------------------------------------------------------------------


def test_suggestions_rank_people_and_leave_out_machines() -> None:
    contacts = [
        Contact("Tom Baker", "tom@x.example", 3, 0, 1),
        Contact("Baker, Tom", "tom@work.example", 1, 1, 0),
        Contact("Una Vale", "una@x.example", 0, 3, 0),
        Contact("", "wim.xu@x.example", 3, 0, None),
        Contact("Once Only", "once@x.example", 1, 0, 1),
        Contact("Never Answered", "boring@x.example", 90, 0, 0),
        Contact("Bo Lee", "bo@x.example", 50, 0, 20),
        Contact("Ann", "ANN@lee.example", 50, 0, 20),
        Contact("Mum", "", 0, 9, None),
        Contact("Shop", "no-reply@shop.example", 99, 0, 5),
        Contact("Shop", "orders@shop.example", 99, 0, 5),
        Contact("News", "newsletter-de@shop.example", 99, 0, 5),
        Contact("Info", "info@shop.example", 99, 0, 5),
        Contact("App", "john.doe+noreply@app.example", 99, 0, 5),
        Contact("List", "someone@lists.project.example", 99, 0, 5),
        Contact("Room 5", "c_188@resource.calendar.google.com", 0, 99, None),
    ]
    assert suggest_people(contacts, FAMILY) == [
        Suggestion("Una Vale", ("una@x.example",), 0, 3),
        Suggestion("Tom Baker", ("tom@x.example", "tom@work.example"), 4, 1),
        Suggestion("Wim Xu", ("wim.xu@x.example",), 3, 0),
    ]


def test_people_whose_address_begins_like_a_machine_are_people() -> None:
    contacts = [Contact("Infante Diaz", "infante@x.example", 5, 0, 2)]
    assert [s.name for s in suggest_people(contacts, Profile())] == ["Infante Diaz"]
