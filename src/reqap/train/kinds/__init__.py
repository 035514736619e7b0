"""The kinds of questions that are put together, each with its plan.

`compose` says what the parts are. A sub-question says all that matters for its part of the plan.
"""

from reqap.train.kinds import comparing, counting, periods, together, values

__all__ = ["comparing", "counting", "periods", "together", "values"]
