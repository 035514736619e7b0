"""What the texts of a plan mean beside what they say: "my partner" is Javiera Montecinos.

EXTRACT gives full names; plans are written in the user's words. A text that is compared with a
value (`==`, `!=`, `in`, `not in`) also stands for the people it means, and for itself without the
marks around it. It still stands for itself, so that no title is lost that is called like somebody.
Not the job of this module: whom a text means, which is handed in.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from reqap.execute.spelling import MARKS
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
    plain = all(not names and text == text.strip(MARKS) for text, names in meant.items())
    return core if plain else _changed(core, meant)


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
        case Op(name="eq", arguments=(Const(value=str(text)), other)):
            return _equal(core, text, other, meant)
        case Op(name="eq", arguments=(other, Const(value=str(text)))):
            return _equal(core, text, other, meant)
        case Op(name="contains", arguments=(whole, Const(value=str(text)))) if meant[text]:
            return Op(BOOL, "any_inside", (_listed([text, *meant[text]]), whole))
        case Op(name="in_list", arguments=(Const(value=str(text)), many)):
            known = _meanings(text, meant)
            return Op(BOOL, "any_in_list", (_listed(known), many)) if len(known) > 1 else core
        case Op(name="in_list", arguments=(one, Op(name="list", arguments=items) as many)):
            return replace(core, arguments=(one, replace(many, arguments=_more(items, meant))))
    return core


def _equal(core: Op, text: str, other: Core, meant: Meant) -> Op:
    known = _meanings(text, meant)
    return Op(BOOL, "in_list", (other, _listed(known))) if len(known) > 1 else core


def _meanings(text: str, meant: Meant) -> list[str]:
    """Itself, itself without marks, and the people."""
    return [
        one for one in dict.fromkeys((text, text.strip(MARKS), *meant[text])) if one or not text
    ]


def _more(items: tuple[Core, ...], meant: Meant) -> tuple[Core, ...]:
    """The items of a list, and what they mean."""
    texts = [item.value for item in items if isinstance(item, Const)]
    known = [name for text in texts if isinstance(text, str) for name in _meanings(text, meant)]
    return (*items, *(Const(STR, name) for name in dict.fromkeys(known) if name not in texts))


def _listed(texts: Sequence[str]) -> Op:
    return Op(list_of(STR), "list", tuple(Const(STR, text) for text in texts))
