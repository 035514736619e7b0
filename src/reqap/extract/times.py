"""An event's own times: the part of its start or end that a key means, as SQL over `events`.

Not the job of this module: dates that stand in data or texts.
"""

from contextlib import suppress
from typing import NamedTuple

from reqap.errors import ValueProblem
from reqap.extract.columns import DURATION, START
from reqap.values import convert


def word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_PARTS = {"day week": "weekday", "date time": "datetime", "time day": "time", "hour day": "hour",
          "day month": "monthday", "month year": "month", "week year": "week",
          "month name": "month", "timestamp": "datetime", "when": "datetime", "start": "datetime",
          "beginning": "datetime", "end": "datetime", "bedtime": "time", "day name": "weekday",
          "week number": "week", "month number": "month", "year month": "yearmonth",
          "part day": "daypart", "daytime": "daypart"}  # fmt: skip
# What asks how many nights something lasted; what is over in a day tells nothing of it.
_NIGHTS = word_set("night number count total away stayed slept spent how many")
_NIGHTS_SQL = "nullif(date_diff('day', start_at, end_at), 0)"
# What is worked out of a time, by the type that is asked for.
_MADE = {
    "yearmonth": {"str": "strftime({}, '%Y-%m')"},
    "nights": {"int": _NIGHTS_SQL, "float": _NIGHTS_SQL},
    "quarter": {"str": "'Q' || quarter({})", "int": "quarter({})", "float": "quarter({})"},
    "weekend": {"bool": "isodow({}) >= 6"},
    "daypart": {"str": "CASE WHEN hour({0}) < 5 OR hour({0}) >= 22 THEN 'night' WHEN hour({0}) < 12"
                       " THEN 'morning' WHEN hour({0}) < 17 THEN 'afternoon' ELSE 'evening' END"},
}  # fmt: skip
_ENDS = word_set("end ended finish finished until arrival arrived wake woke waking awake")
# What is dated by these words is not the event itself.
FOREIGN = word_set(
    "birth born due release delivery ship shipping return expiry expiration publication published"
    " deadline renewal death edited updated"
)
# A day without a time: a whole one, or a midnight without a duration.
_VAGUE = (
    "(start_at = date_trunc('day', start_at)"
    " AND (end_at = start_at OR end_at - start_at >= INTERVAL 86399 SECONDS))"
)
# What a key may say beside the part of a time that it wants.
_PLAIN = _ENDS | word_set("start started begin began beginning event day date time week month hour")
_DATING, _DATED = word_set("at on"), word_set("day date time moment")
# Parts that behind nothing but what was done are those of the event: "weekday_sent".
_DONE = word_set(
    "sent written posted played watched visited visit bought ordered purchased seen found read"
    " recorded logged taken done held created made met used listened streamed paid received got"
)
_LONG = word_set("duration length time long spent took total event")
_OF_DAY = ("day_of_", "weekday_of_")
_DATED_BY = [(part,) for part in ("weekday", "hour", "month", "quarter", "year", "daypart")]
_CASTS = {"datetime": "TIMESTAMP", "date": "DATE", "time": "TIME"}
_TEXTS = {"date": "%Y-%m-%d", "day": "%Y-%m-%d", "datetime": "%Y-%m-%d %H:%M:%S",
          "time": "%H:%M:%S", "weekday": "%A", "month": "%B", "year": "%Y", "hour": "%-H",
          "monthday": "%-d",
          "week": "%-V"}  # fmt: skip
# Weekdays count from Monday as 0, as in Python.
_NUMBERS = {"weekday": "isodow({}) - 1", "week": "weekofyear({})", "day": "day({})",
            "monthday": "day({})", "month": "month({})", "year": "year({})",
            "hour": "hour({})"}  # fmt: skip


class Own(NamedTuple):
    """What an event tells by its own times: an expression, and what it comes to."""

    sql: str
    where: str
    unit: str | None = None
    is_last: bool = False  # counts only where nothing else tells a time
    is_loose: bool = False  # the key says more; a record may have a column for that


def own_of(words: tuple[str, ...], type_name: str, key: str = "") -> Own | None:
    """The part of an event's own time that a key means, if the type can hold it; `key` is as it is
    written: "day_of_purchase" is a Wednesday, and "months_held" are several."""
    if words and _NIGHTS.issuperset(words) and "night" in words:
        made = _MADE["nights"].get(type_name)
        return Own(made, "start and end of the event") if made else None
    last = words[-1] if words else ""
    part = _PARTS.get(" ".join(words[-2:])) or _PARTS.get(last, last)
    is_one = bool(words) and key.startswith(words[0]) and not key.startswith(f"{words[0]}s")
    if is_one and words[:1] in _DATED_BY and _DONE.issuperset(words[1:]):
        part = _PARTS.get(words[0], words[0])
    is_last = part not in _TEXTS and part not in _MADE
    # "watched_at", "ordered_on", "day_of_purchase": what is dated is the event.
    if is_last and (last in _DATING or not _DATED.isdisjoint(words[:1])):
        is_weekday = key.startswith(_OF_DAY)
        part = type_name if type_name in _CASTS else "weekday" if is_weekday else ""
    if (part not in _TEXTS and part not in _MADE) or not FOREIGN.isdisjoint(words):
        return None
    name = "start" if _ENDS.isdisjoint(words) else "end"
    moment, where = f"{name}_at", f"{name} of the event"
    is_loose = not _PLAIN.issuperset(words)
    if part in _MADE and type_name not in _CASTS:
        made = _MADE[part].get(type_name)
        clock = f"CASE WHEN NOT {_VAGUE} THEN {made.format(moment)} END" if made else ""
        return Own(clock if part == "daypart" else made.format(moment), where) if made else None
    if type_name == "time" or part in ("time", "hour"):
        moment = f"CASE WHEN NOT {_VAGUE} THEN {moment} END"
    if type_name in _CASTS:
        sql = f"({moment})::{_CASTS[type_name]}"
        return Own(sql, where, is_last=is_last, is_loose=is_loose)
    if type_name == "str":
        return Own(f"strftime({moment}, '{_TEXTS[part]}')", where)
    if type_name in ("int", "float") and part in _NUMBERS:
        return Own(_NUMBERS[part].format(moment), where)
    return None


def is_time(unit: str | None) -> bool:
    """Whether a length of time can be told in a unit; if none is named, it can."""
    with suppress(ValueProblem):
        return unit is None or convert(1.0, unit, "s") > 0
    return False


def own_by(name: str, words: tuple[str, ...], type_name: str, unit: str | None) -> Own | None:
    """What an event's own times tell where it is known which of them is meant (`columns`)."""
    if not FOREIGN.isdisjoint(words):
        return None
    if name == DURATION:
        lengths = type_name in ("int", "float", "timedelta") and is_time(unit)
        return span_of(words, type_name, unit or "min") if lengths else None
    side = "start" if name == START and _ENDS.isdisjoint(words) else "end"
    moment = f"{side}_at"
    if type_name == "time":
        moment = f"CASE WHEN NOT {_VAGUE} THEN {moment} END"
    if type_name in _CASTS:
        return Own(f"({moment})::{_CASTS[type_name]}", f"{side} of the event")
    return None


def is_span(words: tuple[str, ...], kind: tuple[str, ...]) -> bool:
    """Whether a length of time is the event's own: "session_hours" of a climbing session."""
    return bool(words) and _LONG.union(kind).issuperset(words)


def span_of(words: tuple[str, ...], type_name: str, unit: str) -> Own:
    """How long an event took, if it took any time; whole days end with their last second."""
    is_loose = not _LONG.issuperset(words)
    micros = f"epoch_us(end_at) - epoch_us(start_at) + CASE WHEN {_VAGUE} THEN 1000000 ELSE 0 END"
    if type_name != "timedelta":
        micros = f"({micros}) / {convert(1.0, unit, 'us')!r}"
    if type_name == "int":
        micros = f"round({micros})::BIGINT"
    sql = f"CASE WHEN end_at > start_at THEN {micros} END"
    unit_told = None if type_name == "timedelta" else unit
    return Own(sql, "start and end of the event", unit_told, is_loose=is_loose)
