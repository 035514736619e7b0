"""What the kinds of questions share."""

from reqap.plan.format import quoted

NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def q(question: str, plan: str) -> str:
    """A plan as the answer to a question of its own."""
    return f"QUD({quoted(question)}, {plan})"


def inner(asked: str) -> str:
    """The plan of a QUD("…", plan)."""
    end = 5
    while asked[end] != '"' or asked[end - 1] == "\\":
        end += 1
    return asked[end + 3 : -1]
