"""Plug-in functions: typed Python functions that plans may call by name.

    functions = Functions()

    @functions.register
    def workdays(start: date, end: date) -> int: ...

The types come from the annotations. A function is called with values, never with None: where an
argument is missing, so is the result. Not the job of this module: calling them (`execute`).
"""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from types import NoneType
from typing import TypeVar, get_args, get_origin, get_type_hints

from reqap.errors import PlanError
from reqap.plan.expressions import check_identifier
from reqap.plan.operators import OPERATORS
from reqap.plan.types import BOOL, DATE, DATETIME, DURATION, FLOAT, INT, STR, TIME, Type, list_of
from reqap.plan.vocabulary import FUNCTION_SPELLINGS, FUNCTIONS

_TYPES: dict[object, Type] = {
    bool: BOOL, int: INT, float: FLOAT, str: STR,
    date: DATE, time: TIME, datetime: DATETIME, timedelta: DURATION,
}  # fmt: skip
Registered = TypeVar("Registered", bound=Callable[..., object])


@dataclass(frozen=True)
class PlugInFunction:
    name: str
    call: Callable[..., object]
    parameters: tuple[Type, ...]
    returns: Type

    @property
    def signature(self) -> str:
        return f"{self.name}({', '.join(map(str, self.parameters))}) -> {self.returns}"


class Functions:
    """The plug-in functions a plan may use."""

    def __init__(self) -> None:
        self._functions: dict[str, PlugInFunction] = {}

    def register(self, function: Registered) -> Registered:
        """Adds a function under its own name; as a decorator, or called."""
        name = getattr(function, "__name__", "")
        check_identifier(name)
        taken = FUNCTIONS | FUNCTION_SPELLINGS.keys() | OPERATORS.keys() | self._functions.keys()
        if name in taken:
            raise PlanError(f"the function name {name} is taken")
        kinds = {parameter.kind for parameter in inspect.signature(function).parameters.values()}
        if not kinds <= {
            inspect.Parameter.POSITIONAL_ONLY,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
        }:
            raise PlanError(
                f"{name} has parameters that are no plain ones", expected=f"def {name}(x: int) -> …"
            )
        try:
            hints = get_type_hints(function)
        except Exception as error:  # noqa: BLE001 (annotations are code of the user's)
            raise PlanError(f"the types of {name} cannot be read: {error}") from None
        parameters = tuple(
            _type(hints.get(parameter.name), f"the parameter {parameter.name} of {name}")
            for parameter in inspect.signature(function).parameters.values()
        )
        returns = _type(hints.get("return"), f"the result of {name}")
        self._functions[name] = PlugInFunction(name, function, parameters, returns)
        return function

    def get(self, name: str) -> PlugInFunction | None:
        return self._functions.get(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    def __contains__(self, name: object) -> bool:
        return name in self._functions


def _type(hint: object, what: str) -> Type:
    options = [option for option in get_args(hint) if option is not NoneType]
    if get_origin(hint) is list and len(options) == 1 and options[0] in _TYPES:
        return list_of(_TYPES[options[0]])
    plain = options[0] if len(options) == 1 and NoneType in get_args(hint) else hint
    if plain not in _TYPES:
        names = ", ".join(getattr(kind, "__name__", "") for kind in _TYPES)
        raise PlanError(f"{what} has no type that plans know", expected=f"{names}, list[…] of them")
    return _TYPES[plain]
