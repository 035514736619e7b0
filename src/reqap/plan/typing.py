"""Written expressions → typed ones: every name resolved, every conversion explicit.

What cannot work is refused here, before anything runs, with the offending piece and what would be
accepted. Functions and methods are in `calls`; how types meet, in `conversions`.
"""

from dataclasses import dataclass, field

from reqap.errors import PlanError
from reqap.plan import expressions as ex
from reqap.plan import operators as op
from reqap.plan.calls import call
from reqap.plan.comparing import comparison
from reqap.plan.comprehensions import comprehension, members_schema
from reqap.plan.conversions import (
    arithmetic,
    as_type,
    joined_type,
    list_of_values,
    only_one,
    truth,
)
from reqap.plan.core import (
    MEMBER_SIDE,
    SIZE,
    Agg,
    Attr,
    Const,
    Core,
    Cut,
    Members,
    Op,
    SubResult,
    Var,
)
from reqap.plan.format import format_expression
from reqap.plan.functions import Functions
from reqap.plan.methods import method, part
from reqap.plan.nights import all_true
from reqap.plan.pieces import one_of, piece
from reqap.plan.scope import Row, Rows, Scope
from reqap.plan.syntax import meant
from reqap.plan.types import (
    BOOL,
    FLOAT,
    INT,
    NOTHING,
    ROW,
    ROWS,
    SPAN,
    STR,
    TIMED_SPAN,
    Kind,
    Schema,
    Shape,
    Type,
    list_of,
    tuple_of,
)
from reqap.plan.writing import formatted

# The most that an expression may come to when everything it repeats is written out.
MAX_SIZE = 20_000
MAX_LEVELS = 80


class Unknown(Exception):
    """A type rests on an open question: the rest cannot be checked yet."""


@dataclass
class Typer:
    """Types the expressions of one operator."""

    functions: Functions
    # The schema of each sub-plan, in the order they are met.
    sub_plans: list[tuple[op.Operator, Schema]] = field(default_factory=list)
    _variables: int = 0
    # How large and deep each typed expression is when it is written out; kept with the expression
    # itself, so that its identity is not given to another.
    _extents: dict[int, tuple[Core, tuple[int, int]]] = field(default_factory=dict)

    def typed(self, node: ex.Expression, scope: Scope) -> Core:
        """A value. Complaints name the piece they are about, the innermost that failed."""
        try:
            core = self._typed(node, scope)
            size, depth = self._extent(core)
            if size > MAX_SIZE or depth > MAX_LEVELS:
                raise PlanError("this expression is too large", expected="several steps")
        except PlanError as error:
            if error.where:
                raise
            raise PlanError(error.what, _at(node), error.expected) from None
        return core

    def _extent(self, core: Core) -> tuple[int, int]:
        """Size and depth; parts that stand in several places count each time."""
        known = self._extents.get(id(core))
        if known is None:
            inside = [self._extent(part) for part in core.parts()]
            size = 1 + sum(size for size, _ in inside)
            depth = 1 + max((depth for _, depth in inside), default=0)
            known = core, (size, depth)
            self._extents[id(core)] = known
        return known[1]

    def value(self, node: ex.Expression, scope: Scope) -> Core:
        """Like `typed`, but whole rows will not do."""
        return _as_value(self.typed(node, scope), node)

    def operand(self, node: ex.Expression, scope: Scope) -> Core:
        """A single value to compute with, or a stretch of the calendar."""
        core = self.typed(node, scope)
        if core.type in (SPAN, TIMED_SPAN):
            return core
        return only_one(_as_value(core, node))

    def condition(self, node: ex.Expression, scope: Scope) -> Core:
        """Whether a value counts as true; of rows, whether there are any."""
        core = self.typed(node, scope)
        if isinstance(core, Members) and core.type == ROWS:
            return Op(BOOL, "gt", (Agg(INT, "count", core.steps, None), Const(INT, 0)))
        try:
            return truth(_as_value(core, node))
        except PlanError as error:
            raise PlanError(error.what, error.where or _at(node), error.expected) from None

    def _typed(self, node: ex.Expression, scope: Scope) -> Core:
        match node:
            case ex.Literal():
                return _literal(node)
            case ex.Name():
                return self._name(node, scope)
            case ex.Key():
                return self._key(node, scope)
            case ex.Index():
                return one_of(self, node, scope)
            case ex.Slice():
                return piece(self, node, scope)
            case ex.Call():
                return call(self, node, scope)
            case ex.Method():
                return method(self, node, scope)
            case ex.Part():
                return part(self, node, scope)
            case ex.Comprehension():
                return comprehension(self, node, scope)
            case ex.SubPlan():
                return self._sub_plan(node)
        return self._operation(node, scope)

    def _operation(self, node: ex.Expression, scope: Scope) -> Core:
        match node:
            case ex.Unary():
                return self._unary(node, scope)
            case ex.Binary():
                left, right = self.operand(node.left, scope), self.operand(node.right, scope)
                return arithmetic(node.operator, left, right)
            case ex.Logic():
                return self._logic(node, scope)
            case ex.Compare():
                return self._compare(node, scope)
            case ex.Conditional():
                test = self.condition(node.test, scope)
                branches = [
                    only_one(self.value(branch, scope)) for branch in (node.then, node.otherwise)
                ]
                wanted = joined_type([branch.type for branch in branches])
                return Op(wanted, "if", (test, *(as_type(branch, wanted) for branch in branches)))
            case ex.FString():
                return self._fstring(node, scope)
            case ex.Items():
                items = [_plain(self.value(item, scope)) for item in node.items]
                if node.kind == "tuple":
                    if not items:
                        raise PlanError("an empty tuple", expected="an empty list: []")
                    return Op(tuple_of(*(item.type for item in items)), "tuple", tuple(items))
                made = list_of_values(items)
                return Op(made.type, "distinct", (made,)) if node.kind == "set" else made
        raise PlanError("a function cannot stand here", expected="a value")

    # -- variables ------------------------------------------------------------------------------

    def _name(self, node: ex.Name, scope: Scope) -> Core:
        bound = scope.get(node.name)
        match bound:
            case None:
                raise PlanError(f"there is no variable {node.name}", expected=", ".join(scope))
            case Rows():
                return Members(ROWS)
            case Row(members=Schema()):
                return Members(ROWS)
            case Row():
                return Members(ROW, (Cut(None, None),))
            case _:
                return bound

    def _key(self, node: ex.Key, scope: Scope) -> Core:
        bound = scope.get(node.of.name) if isinstance(node.of, ex.Name) else None
        if isinstance(bound, Row):
            return self._attribute(bound, node.name)
        if isinstance(bound, Rows):
            body = self._of_member(bound.schema, node.name)
            return Agg(list_of(body.type), "list", (), body)
        of = self.typed(node.of, scope)
        if isinstance(of, Members) and of.type == ROW:
            body = self._of_member(members_schema(scope), node.name)
            return Agg(body.type, "first", of.steps, body)
        raise PlanError(
            f'{of.type} has no attribute "{node.name}"', expected="an event's attribute"
        )

    def _attribute(self, row: Row, name: str) -> Core:
        """An attribute of a row; of a group, one of its members' gives a list."""
        inside = row.members
        if inside is not None and name not in row.schema.attributes and name in inside.attributes:
            body = self._of_member(inside, name)
            return Agg(list_of(body.type), "list", (), body)
        return attribute(row.schema, _known_as(row.schema, name), row.side)

    def _of_member(self, schema: Schema, name: str) -> Attr:
        return attribute(schema, _known_as(schema, name), MEMBER_SIDE)

    def size(self, node: ex.Expression, scope: Scope) -> Core | None:
        """`len(group)`, which every group knows."""
        bound = scope.get(node.name) if isinstance(node, ex.Name) else None
        if isinstance(bound, Row) and bound.schema.shape is Shape.GROUPS and bound.schema.keys:
            return Attr(INT, SIZE, bound.side)
        return None

    # -- operations -----------------------------------------------------------------------------

    def _unary(self, node: ex.Unary, scope: Scope) -> Core:
        if node.operator == "not":
            return Op(BOOL, "not", (self.condition(node.of, scope),))
        of = only_one(self.value(node.of, scope))
        if of.type.kind not in (Kind.INT, Kind.FLOAT, Kind.DURATION):
            raise PlanError(f"{node.operator}{of.type} is not defined", expected="a number")
        return of if node.operator == "+" else Op(of.type, "negative", (of,))

    def _logic(self, node: ex.Logic, scope: Scope) -> Core:
        """Over conditions: logic with three values, as in SQL. Over values: the one that counts."""
        items = [self._link(item, scope) for item in node.items]
        if all(item.type == BOOL for item in items):
            return all_true(items) if node.operator == "and" else Op(BOOL, "or", tuple(items))
        try:
            wanted = joined_type([item.type for item in items])
        except PlanError:
            return Op(BOOL, node.operator, tuple(truth(item) for item in items))
        result = as_type(items[-1], wanted)
        for item in reversed(items[:-1]):
            kept = as_type(item, wanted)
            branches = (kept, result) if node.operator == "or" else (result, kept)
            result = Op(wanted, "if", (truth(item), *branches))
        return result

    def _link(self, node: ex.Expression, scope: Scope) -> Core:
        """One part of an `and` or `or`: a value, or whether there are rows."""
        core = self.typed(node, scope)
        if isinstance(core, Members) and core.type == ROWS:
            return Op(BOOL, "gt", (Agg(INT, "count", core.steps, None), Const(INT, 0)))
        return only_one(_as_value(core, node))

    def _compare(self, node: ex.Compare, scope: Scope) -> Core:
        sides = [self.value(side, scope) for side in (node.left, *node.rights)]
        found = [
            comparison(operator, sides[at], sides[at + 1], node.rights[at])
            for at, operator in enumerate(node.operators)
        ]
        return found[0] if len(found) == 1 else all_true(found)

    def _fstring(self, node: ex.FString, scope: Scope) -> Core:
        pieces = [
            formatted(only_one(self.value(item.of, scope)), item.spec)
            if isinstance(item, ex.Formatted)
            else _literal(item)
            for item in node.items
        ]
        return Op(STR, "concat", tuple(pieces)) if pieces else Const(STR, "")

    def new_variable(self, item: Type) -> Var:
        """For the items of a list."""
        self._variables += 1
        return Var(item, f"v{self._variables}")

    def _sub_plan(self, node: ex.SubPlan) -> Core:
        number = next(i for i, (plan, _) in enumerate(self.sub_plans) if plan is node.plan)
        schema = self.sub_plans[number][1]
        if schema.shape is Shape.OPEN or schema.open:
            raise Unknown
        if schema.value is not None:
            return SubResult(schema.value, number)
        if len(schema.focus) == 1:
            return SubResult(list_of(schema.attributes[schema.focus[0]], several=True), number)
        raise PlanError(
            "the result of this plan is a list of events, not a value",
            expected='a plan that ends in one value or attribute, such as MIN(…, attr_name="…")',
        )


_SIDES = ("i1.", "i2.")


def _known_as(schema: Schema, name: str) -> str:
    """Expressions may say the side of a join also where only one side has the attribute."""
    bare = name[3:] if name.startswith(_SIDES) else name
    return bare if name not in schema.attributes and bare in schema.attributes else name


def attribute(schema: Schema, name: str, side: str) -> Attr:
    kind = schema.attributes.get(name)
    if kind is None:
        if schema.open:
            raise Unknown
        if name.startswith(_SIDES):
            raise PlanError(f'there is no attribute "{name}" here', expected=listed(schema))
        likely = f"{close} " if (close := meant(name, schema.attributes)) else ""
        raise PlanError(
            f'there is no attribute "{name}" here',
            expected=f"{likely}{listed(schema)}; others must be derived below, "
            f'for example by EXTRACT(l=…, attr_names=["{name}"], attr_types=[str])',
        )
    return Attr(kind, name, side)


def listed(schema: Schema) -> str:
    """The attributes there are, those that the plan derived first."""
    derived = [name for name in schema.attributes if name in schema.derived]
    return ", ".join(derived + [n for n in schema.attributes if n not in schema.derived]) or "none"


def _literal(node: ex.Literal) -> Const:
    if node.value is None:
        return Const(NOTHING, None)
    kinds = {bool: BOOL, int: INT, float: FLOAT, str: STR}
    return Const(kinds[type(node.value)], node.value)


def _plain(core: Core) -> Core:
    """The several values of a result, as the list they are."""
    return Op(list_of(core.type.item), "same", (core,)) if core.type.several else core


def _as_value(core: Core, node: ex.Expression) -> Core:
    if core.type in (ROW, ROWS):
        raise PlanError("an event is not a value", _at(node), 'an attribute, such as e["title"]')
    if core.type in (SPAN, TIMED_SPAN):
        expected = "a value; it moves dates: day + relativedelta(months=1)"
        raise PlanError("a relativedelta alone is not a value", _at(node), expected)
    return core


def _at(node: ex.Expression) -> str:
    return f"at `{_short(format_expression(node))}`"


def _short(text: str) -> str:
    return text if len(text) <= 120 else text[:119] + "…"
