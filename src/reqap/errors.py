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
