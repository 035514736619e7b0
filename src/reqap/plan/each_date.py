"""Who asks when something happened wants all of its days, where it is known how often it did.

"When did I move house?" is planned as the first day. Of what people only tell, several days may be
the same thing told again, and the first is the best guess; facts of a profile and entries of a
calendar are as many as they are. Which of the two it is, only the data know. Not the job of this
module: looking that up (`pipeline`).
"""

import re
from collections.abc import Callable

from reqap.plan.expressions import Lambda
from reqap.plan.operators import Apply, Filter, Min, Operator, Retrieve
from reqap.plan.parse import parse_expression

_WHEN = re.compile(r"\s*(?:when|on (?:what|which) (?:day|date))\b", re.IGNORECASE)
# Who says one of these wants one day.
_ONE = re.compile(
    r"\b(?:first(?:ly)?|earliest|oldest|initial(?:ly)?|originally|start\w*|beg[aiu]n\w*|since)\b",
    re.IGNORECASE,
)
_TIMES = ("start_date", "start_datetime")


def each_date(plan: Operator, question: str, are_several: Callable[[Operator], bool]) -> Operator:
    if not isinstance(plan, Min) or plan.attr_name not in _TIMES:
        return plan
    below = plan.l.l if isinstance(plan.l, Filter) else plan.l
    wants_all = _WHEN.match(question) and not _ONE.search(question)
    if not (wants_all and isinstance(below, Retrieve) and are_several(plan.l)):
        return plan
    every = parse_expression('lambda l: sorted(set(e["start_date"] for e in l))', ())
    assert isinstance(every, Lambda)
    return Apply(plan.l, every, question=plan.question)
