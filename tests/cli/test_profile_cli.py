"""`reqap profile` as a person uses it."""

import json
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from click.testing import CliRunner, Result

from reqap.cli.profile import profile
from reqap.errors import NotFound, ProfileProblem
from reqap.events import Clock, Event, Origin, Value
from reqap.importing import import_paths
from reqap.profile import Profile
from reqap.sources.base import Context, Source
from reqap.store import Store


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "life.duckdb"


def run(db: Path, *arguments: str, text: str | None = None) -> Result:
    env = {"REQAP_DB": str(db), "COLUMNS": "120"}
    return CliRunner().invoke(profile, arguments, input=text, env=env)


def done(db: Path, *arguments: str, text: str | None = None) -> str:
    result = run(db, *arguments, text=text)
    assert result.exit_code == 0, result.output
    return result.output


def saved(db: Path) -> Profile:
    with Store.open(db, read_only=True) as store:
        text = store.load_profile()
    assert text is not None
    return Profile.from_json(text)


def fill(db: Path, events: list[Event], zone: str = "UTC") -> None:
    """Imports events as if a source had read them."""
    export = db.with_name("test.csv")
    export.write_text("any\n")
    source = Source("test", "Test", 1, lambda _: True, lambda *_: iter(events), lambda *_: "")
    with Store.open(db) as store:
        import_paths([export], store, Context(Clock(ZoneInfo(zone))), sources=[source])


def event(number: int, kind: str, data: dict[str, Value], user_zone: bool = False) -> Event:
    at = datetime(2024, 7, 1, 12, number % 60)
    offset = 0 if user_zone else None
    origin = Origin("test.csv", number)
    return Event(f"id{number:04}", "test", kind, at, at, offset, data, origin, user_zone)


def test_no_profile_yet(db: Path) -> None:
    assert done(db) == 'No profile yet. Begin with: reqap profile set name "Your Name"\n'
    assert json.loads(done(db, "--json")) == {}
    assert not db.exists()


def test_a_profile_grows(db: Path) -> None:
    assert done(db, "set", "name", "Ann Lee") == "name is now Ann Lee.\n"
    done(db, "set", "timezone", "oslo")
    done(db, "set", "birthday", "1990-02")
    done(db, "add", "friend", "Tom Baker", "--nickname", "Tommy", "--nickname", "TB")
    done(db, "add", "person", "Al", "--relation", "twin brother", "--birth-date", "1990-02")
    done(db, "add", "job", "Acme", "--role", "cook", "--city", "Oslo", "--since", "2019-04")
    done(db, "add", "home", "Rome", "--since", "2001", "--until", "2003")
    done(db, "add", "pet", "Rex", "--type", "dog")
    done(db, "add", "milestone", "married", "--since", "2018-06-09", "--person", "Fay")
    page = done(db)
    for line in (
        "Ann Lee",
        "  born 1990-02",
        "  time zone Europe/Oslo",
        "  Tom Baker  friend · “Tommy” · “TB”",
        "  Al         twin brother                       born 1990-02",
        "  Acme  cook · Oslo  2019-04 – now",
        "  Rome    2001 – 2003",
        "  Rex  dog",
        "  married  Fay  2018-06-09",
    ):
        assert line.split() in [shown.split() for shown in page.splitlines()], page
    assert json.loads(done(db, "--json")) == json.loads(saved(db).to_json())
    with Store.open(db, read_only=True) as store:
        facts = list(store.scan(kinds=["profile"]))
        assert store.zone() == "Europe/Oslo"
    assert [fact.data["event"] for fact in facts] == [
        "was born",
        "moved to a new home",
        "married",
        "started a job",
    ]
    assert done(db, "remove", "friend", "tommy") == "Removed friend tommy.\n"
    assert [person.name for person in saved(db).people] == ["Al"]
    done(db, "remove", "job", "acme")
    done(db, "set", "birth_date", "")
    with Store.open(db, read_only=True) as store:
        assert len(list(store.scan(kinds=["profile"]))) == 2


def test_a_new_zone_moves_what_was_imported(db: Path) -> None:
    fill(db, [event(1, "note", {}, user_zone=True), event(2, "note", {})])
    told = done(db, "set", "time_zone", "Europe/Berlin")
    assert "1 imported events were placed by the old time zone and have been moved" in told
    with Store.open(db, read_only=True) as store:
        assert [e.start.hour for e in store.scan(kinds=["note"])] == [12, 14]
    told = done(db, "set", "time_zone", "UTC", "--json")
    assert json.loads(told)["moved_events"] == 1


def test_mistakes_are_told(db: Path) -> None:
    for arguments, message in (
        (("set", "nam", "x"), "Did you mean name"),
        (("set", "time_zone", "Europe/Berln"), "Europe/Berlin"),
        (("add", "frend", "x"), "Did you mean friend"),
        (("add", "pet", "Rex", "--role", "cook"), "pet: there is no field 'role'"),
        (("add", "pet", "Rex", "--since", "soon"), "'soon' is not a date"),
        (("remove", "friend", "x"), "There is no friend 'x'. There are: none"),
        (("suggest", "--add", "3"), "There is no number 3; there are 0"),
    ):
        result = run(db, *arguments)
        assert isinstance(result.exception, ProfileProblem), result.output
        assert message in str(result.exception)
    assert json.loads(done(db, "--json")) == {}


def test_load_and_export(db: Path, tmp_path: Path) -> None:
    source = tmp_path / "me.json"
    source.write_bytes(b'\xef\xbb\xbf{"name": "Ann", "kids": ["Bo"], "shoe_size": 38}')
    told = done(db, "load", str(source))
    assert told.startswith("This is now the profile of Ann.\n")
    assert "! 'shoe_size' is not a field I know; it is kept as it is" in told
    text = done(db, "export")
    assert json.loads(text) == {
        "name": "Ann",
        "people": [{"name": "Bo", "relation": "child"}],
        "shoe_size": 38,
    }
    target = tmp_path / "out.json"
    done(db, "export", str(target))
    assert json.loads(target.read_text()) == json.loads(text)
    assert isinstance(run(db, "export", str(target)).exception, ProfileProblem)
    done(db, "export", str(target), "--force")
    done(db, "load", str(target))  # the same profile needs no question


def test_loading_asks_before_it_replaces(db: Path, tmp_path: Path) -> None:
    done(db, "set", "name", "Ann")
    other = tmp_path / "other.json"
    other.write_text('{"name": "Bo"}')
    assert run(db, "load", str(other), text="n\n").exit_code == 1
    assert saved(db).name == "Ann"
    done(db, "load", "-", "--yes", text='{"name": "Cy"}')
    assert saved(db).name == "Cy"
    result = run(db, "load", "-", "--yes", text="[]")
    assert isinstance(result.exception, ProfileProblem)
    assert saved(db).name == "Cy"


def _mailbox() -> list[Event]:
    me = "Ann Lee <ann@lee.example>"
    tom, una = "Tom Baker <tom@x.example>", "una@x.example"
    mails: list[dict[str, Value]] = [
        {"sender": me, "recipient": [tom, una], "direction": "sent"},
        {"sender": tom, "recipient": [me]},
        {"sender": '"Baker, Tom" <TOM@x.example>', "recipient": "ann@lee.example"},
        {"sender": una, "recipient": [me], "cc": [tom]},
        {"sender": "Shop <no-reply@shop.example>", "recipient": [me]},
    ]
    advert: dict[str, Value] = {"sender": "Ads <jane@ads.example>", "recipient": [me]}
    mails += [advert] * 5
    meetings: list[dict[str, Value]] = [
        {"summary": "Lunch", "participants": ["Una Vale <una@x.example>", "Ann Lee"]},
        {"summary": "Walk", "participants": ["Wim Xu", "ann@lee.example"]},
        {"summary": "Swim", "participants": ["Wim Xu"]},
        {"summary": "Alone"},
        {"summary": "Odd", "participants": 7},
    ]
    return [
        event(number, kind, data)
        for number, (kind, data) in enumerate(
            [("mail", mail) for mail in mails] + [("calendar", entry) for entry in meetings]
        )
    ]


def test_suggest(db: Path) -> None:
    fill(db, _mailbox())
    done(db, "set", "name", "Ann Lee")
    assert json.loads(done(db, "suggest", "--json")) == [
        {"number": 1, "name": "Wim Xu", "addresses": [], "mails": 0, "meetings": 2},
        {
            "number": 2,
            "name": "Una Vale",
            "addresses": ["una@x.example"],
            "mails": 2,
            "meetings": 1,
        },
        {
            "number": 3,
            "name": "Tom Baker",
            "addresses": ["tom@x.example"],
            "mails": 3,
            "meetings": 0,
        },
    ]
    page = done(db, "suggest")
    assert ["2", "│", "Una", "Vale", "│", "una@x.example", "│", "2", "│", "1"] in [
        line.split() for line in page.splitlines()
    ]
    assert saved(db).people == ()  # looking adds nobody
    assert done(db, "suggest", "--add", "2", "--relation", "friend") == "Added Una Vale.\n"
    (una,) = saved(db).people
    assert (una.name, una.relation, una.emails) == ("Una Vale", "friend", ("una@x.example",))
    assert [s["name"] for s in json.loads(done(db, "suggest", "--json"))] == ["Wim Xu", "Tom Baker"]


def test_suggest_without_data(db: Path) -> None:
    assert isinstance(run(db, "suggest").exception, NotFound)
    done(db, "set", "name", "Ann")
    assert done(db, "suggest") == "Nobody to suggest: import mails or a calendar first.\n"


def test_db_before_or_behind_the_command(tmp_path: Path, db: Path) -> None:
    other = tmp_path / "other.duckdb"
    done(db, "--db", str(other), "set", "name", "Ann")
    done(db, "set", "name", "Bo", "--db", str(tmp_path / "third.duckdb"))
    assert not db.exists()
    assert saved(other).name == "Ann"
    assert saved(tmp_path / "third.duckdb").name == "Bo"


def test_hostile_names_do_not_reach_the_terminal(db: Path) -> None:
    done(db, "load", "-", text='{"name": "A\\u001b[31mB [red]C", "friends": ["\\u001b]0;x"]}')
    page = done(db)
    assert "\x1b" not in page
    assert "A·[31mB [red]C" in page


@pytest.mark.parametrize("command", ["", "set", "add", "remove", "load", "export", "suggest"])
def test_help_has_an_example(db: Path, command: str) -> None:
    assert "Example: reqap profile" in done(db, *command.split(), "--help")
