"""Every error the product raises on purpose: one root, a handful of leaves.

A message is written for the person at the keyboard: it says what happened, where, and what to do.
Problems with single records of an export are not errors; they are `ImportIssue` values.
"""


class ReqapError(Exception):
    """The root: whatever a command shows as one line instead of a stack trace."""


class ValueProblem(ReqapError, ValueError):
    """A text that was expected to be a date, number, amount, … and is not."""


class ExportProblem(ReqapError):
    """A file of an export cannot be read any further; what was read before it stands."""


class StoreProblem(ReqapError):
    """The event store cannot be opened, read or written."""


class StoreBusy(StoreProblem):
    """Another process holds the store."""


class ProfileProblem(ReqapError):
    """A profile, or an edit of it, does not make sense."""


class NotFound(ReqapError):
    """Something the user named (an event, a source, an import) is not there."""


class PlanError(ReqapError):
    """A plan that cannot be: where, what is wrong, and what would be accepted.

    Written so that a person, or a language model that is asked to repair its step, can act on it.
    """

    def __init__(self, what: str, where: str = "", expected: str = "") -> None:
        what, where, expected = (_shortened(text) for text in (what, where, expected))
        self.what, self.where, self.expected = what, where, expected
        # The node of the plan at fault, where it is known.
        self.node: object = None
        told = f"{where}: {what}" if where else what
        super().__init__(f"{told}. Accepted: {expected}" if expected else told)


def _shortened(text: str, length: int = 1_500) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


class ExecutionProblem(ReqapError):
    """A sound plan that cannot be carried out over this data; it names the step."""


class TooExpensive(ExecutionProblem):
    """A plan that would take more time, rows or memory than it is granted."""


class Stopped(ReqapError):
    """The user wanted no answer any more."""

    def __init__(self) -> None:
        super().__init__("this was stopped")
