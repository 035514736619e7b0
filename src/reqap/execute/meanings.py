"""What the texts of a plan mean beside what they say: "my partner" is Javiera Montecinos.

EXTRACT gives full names; plans are written in the user's words. A text that is compared with a
value (`==`, `!=`, `in`, `not in`) also stands for the people it means. It still stands for itself,
so that no title is lost that is called like somebody.
Not the job of this module: whom a text means, which is handed in.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from reqap.plan import Checked
from reqap.plan.core import Const, Core, Keep, Op, Order, walk_core
from reqap.plan.types import BOOL, STR, list_of

Whom = Callable[[str], Sequence[str]]
Meant = Mapping[str, Sequence[str]]  # by the texts of a plan, the names of people


def nobody(text: str) -> Sequence[str]:
    """Where no profile is known."""
    return ()


def understood(plan: Checked, whom: Whom) -> Checked:
    """The plan with all that its texts mean; `whom` gives the full names that a text means."""
    return replace(
        plan,
        core=plan.core and _understood(plan.core, whom),
        inputs=tuple(understood(inner, whom) for inner in plan.inputs),
        sub_plans=tuple(understood(inner, whom) for inner in plan.sub_plans),
    )


def _understood(core: Core, whom: Whom) -> Core:
    texts = {part.value for part in walk_core(core) if isinstance(part, Const)}
    meant = {text: list(whom(text)) for text in texts if isinstance(text, str)}
    return _changed(core, meant) if any(meant.values()) else core


def _changed(core: Core, meant: Meant) -> Core:
    """An expression with all comparisons inside it changed."""
    made = replace(core, **_parts(core, meant))
    return _comparison(made, meant) if isinstance(made, Op) else made


def _parts(part: Core | Keep | Order, meant: Meant) -> dict[str, Any]:
    return {member.name: _inside(getattr(part, member.name), meant) for member in fields(part)}


def _inside(value: object, meant: Meant) -> object:
    match value:
        case tuple():
            return tuple(_inside(item, meant) for item in value)
        case Core():
            return _changed(value, meant)
        case Keep() | Order():
            return replace(value, **_parts(value, meant))
    return value


def _comparison(core: Op, meant: Meant) -> Op:
    match core:
        case Op(name="eq", arguments=(Const(value=str(text)), other)) if meant[text]:
            return Op(BOOL, "in_list", (other, _listed(text, meant)))
        case Op(name="eq", arguments=(other, Const(value=str(text)))) if meant[text]:
            return Op(BOOL, "in_list", (other, _listed(text, meant)))
        case Op(name="contains", arguments=(whole, Const(value=str(text)))) if meant[text]:
            return Op(BOOL, "any_inside", (_listed(text, meant), whole))
        case Op(name="in_list", arguments=(Const(value=str(text)), many)) if meant[text]:
            return Op(BOOL, "any_in_list", (_listed(text, meant), many))
        case Op(name="in_list", arguments=(one, Op(name="list", arguments=items) as many)):
            return replace(core, arguments=(one, replace(many, arguments=_more(items, meant))))
    return core


def _more(items: tuple[Core, ...], meant: Meant) -> tuple[Core, ...]:
    """The items of a list, and the people they mean."""
    texts = [item.value for item in items if isinstance(item, Const)]
    names = [name for text in texts if isinstance(text, str) for name in meant[text]]
    return (*items, *(Const(STR, name) for name in dict.fromkeys(names) if name not in texts))


def _listed(text: str, meant: Meant) -> Op:
    return Op(list_of(STR), "list", tuple(Const(STR, one) for one in (text, *meant[text])))
