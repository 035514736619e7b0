"""Names are written as the question writes them."""

import pytest

from reqap.plan import format_short, parse
from reqap.qud.copying import copied_from


@pytest.mark.parametrize(
    ("question", "step", "wanted"),
    [
        (
            "How often did I meet Elena Petrova?",
            'APPLY(QUD("my meetings with Elena Petrov"), len)',
            'APPLY(QUD("my meetings with Elena Petrova"), len)',
        ),
        (
            "was I at Parrilla Don Ulises's bar",
            'RETRIEVE("I was at Parrillo Don Ulises\'s bar")',
            'RETRIEVE("I was at Parrilla Don Ulises\'s bar")',
        ),
        (
            "meals with Sebastián Huenchumán except in Rome",
            'FILTER(QUD("meals with Sebastián Huenchumánan"), lambda e: e["city"] != "Roma")',
            'FILTER(QUD("meals with Sebastián Huenchumán"), lambda e: e["city"] != "Rome")',
        ),
        (
            "How often was I at Parrilla Don Ulises before I began at Sable Bank of Nova Trust?",
            'FILTER(QUD("I was at Parrilla Ulises"),'
            ' lambda e: e["start_date"] < QUD("my start at Sable Bank Trust").result)',
            'FILTER(QUD("I was at Parrilla Don Ulises"),'
            ' lambda e: e["start_date"] < QUD("my start at Sable Bank of Nova Trust").result)',
        ),
        (
            "how often did i meet elena petrova",
            'APPLY(QUD("my meetings with Elena Petrov"), len)',
            'APPLY(QUD("my meetings with Elena Petrova"), len)',
        ),
        # Numbers, in texts and elsewhere; what is next to the question's may be meant.
        (
            "How many runs over 1,500 m in 2023, Bus 4711?",
            'FILTER(QUD("Bus 4771"), lambda e: e["d"] > 1600 and e["start_date"].year == 2032)',
            'FILTER(QUD("Bus 4711"), lambda e: e["d"] > 1500 and e["start_date"].year == 2023)',
        ),
        (
            "runs before 2020, in hours",
            'FILTER(QUD("runs"), lambda e: e["start_date"].year <= 2019 and e["s"] / 3600 > 1)',
            'FILTER(QUD("runs"), lambda e: e["start_date"].year <= 2019 and e["s"] / 3600 > 1)',
        ),
        # Small models stutter.
        (
            "how often Una MacArdle in Bora Bora",
            'APPLY(QUD("in Bora Bora with Una Mac MacArdle, Mac Mac MacArdle"), len)',
            'APPLY(QUD("in Bora Bora with Una MacArdle, MacArdle"), len)',
        ),
        # What was never taught can only come from the question.
        ("Where have I eaten fricot?", 'RETRIEVE("I ate frisotot")', 'RETRIEVE("I ate fricot")'),
        (
            "my first microSD card order",
            'RETRIEVE(" I ordered amicroSD card")',
            'RETRIEVE("I ordered microSD card")',
        ),
        # Words of the step's own stay.
        (
            "How many times did I meet Laura in Italy?",
            'APPLY(QUD("my Italian meetings with Laura in Italy"), len)',
            'APPLY(QUD("my Italian meetings with Laura in Italy"), len)',
        ),
        (
            "songs by Adele last winter",
            'FILTER(QUD("songs by Adele"), lambda e: e["start_date"].strftime("%B") == "December")',
            'FILTER(QUD("songs by Adele"), lambda e: e["start_date"].strftime("%B") == "December")',
        ),
    ],
)
def test_names_are_put_right(question: str, step: str, wanted: str) -> None:
    assert format_short(copied_from(parse(step), question)) == wanted


def test_plans_in_conditions_are_reached() -> None:
    step = parse(
        'FILTER(QUD("my runs"), lambda e: e["start_date"] > QUD("my move to Reykavik").result)'
    )
    found = copied_from(step, "my runs since I moved to Reykjavik")
    assert "Reykjavik" in format_short(found)
