"""The names an expression may use: functions, methods and parts, all of them.

The grammar is closed: what is not here (and not a plug-in function) is a `PlanError`. What each
name does to types is said in `typing`; what it does to values, in `execute`.
"""

FUNCTIONS = frozenset(
    {
        "len", "sum", "avg", "min", "max", "any", "all", "sorted", "set", "list", "round", "abs",
        "int", "float", "str", "bool",
        "date", "time", "datetime", "timedelta", "relativedelta",
        "date.today", "datetime.now",
        "date.fromisoformat", "time.fromisoformat", "datetime.fromisoformat", "datetime.combine",
    }
)  # fmt: skip
# Other spellings of the same thing.
FUNCTION_SPELLINGS = {
    "datetime.today": "datetime.now",
    "datetime.utcnow": "datetime.now",
    "tuple": "list",
    "frozenset": "set",
    "mean": "avg",
    "average": "avg",
    "statistics.mean": "avg",
    "statistics.fmean": "avg",
}
# Modules that Python code names in front: `datetime.date.today()`, `dateutil.relativedelta…`.
MODULES = ("datetime", "dateutil", "relativedelta")

METHODS = frozenset(
    {
        "lower", "upper", "casefold", "strip", "lstrip", "rstrip", "startswith", "endswith",
        "split", "replace", "count", "join",
        "weekday", "isoweekday", "isocalendar", "date", "time", "strftime", "isoformat",
        "total_seconds",
    }
)  # fmt: skip
PARTS = frozenset(
    {
        "year", "month", "day", "hour", "minute", "second", "microsecond",
        "years", "months", "days", "seconds", "week", "weekday", "currency",
    }
)  # fmt: skip


def known_functions(plug_ins: frozenset[str] | set[str] = frozenset()) -> str:
    """The functions there are, for messages."""
    return ", ".join(sorted(FUNCTIONS) + sorted(plug_ins))
