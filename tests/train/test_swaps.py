"""The same question about others: what is exchanged, and what never is."""

import random

from reqap.train.swaps import Swaps, first_names

SWAPS = Swaps(["Ngaire", "Tunde", "Ylva", "May"], frozenset({"may", "meet"}))


def swapped(question: str, plan: str, seed: int = 3) -> tuple[str, str]:
    return SWAPS.swapped(question, plan, random.Random(seed))


def test_people_change_in_question_and_plan_as_they_are_written() -> None:
    question, plan = swapped("did i meet ylva?", 'RETRIEVE("I met Ylva")')
    name = question.removeprefix("did i meet ").rstrip("?")
    assert name.islower()
    assert plan == f'RETRIEVE("I met {name.capitalize()}")'


def test_months_and_names_that_the_plan_does_not_copy_stay() -> None:
    pair = ("did Ylva call in May?", 'RETRIEVE("my sister called in May")')
    assert swapped(*pair) == pair


def test_years_move_together() -> None:
    plan = 'FILTER(QUD("runs in 2020 or 2022"), lambda e: e["start_date"].year in (2020, 2022))'
    for seed in range(20):
        question, other = swapped("runs in 2020 and 2022", plan, seed)
        first, second = (int(word) for word in question.split() if word.isdigit())
        assert second - first == 2
        assert f"in ({first}, {second}))" in other
        assert f"runs in {first} or {second}" in other


def test_years_stay_where_days_move_or_the_plan_knows_others() -> None:
    for question, plan in (
        ("eggs at Easter 2024", "date(2024, 3, 31)"),
        ("runs in 2020", "date(2019, 12, 31)"),
    ):
        assert swapped(question, plan) == (question, plan)


def test_a_number_changes_where_it_is_counted_by() -> None:
    question, plan = swapped("runs over 10 km", 'QUD("runs over 10 km", lambda e: e["km"] > 10)')
    number = question.split()[2]
    assert number != "10" or plan.count("10") == 2
    assert plan == f'QUD("runs over {number} km", lambda e: e["km"] > {number})'


def test_clocks_and_calendars_stay() -> None:
    for question, plan in (
        ("mails after 9 pm", 'lambda e: e["start_time"].hour >= 21'),
        ("runs on 5 June", 'lambda e: e["start_date"] == date(2024, 6, 5)'),
        ("4 things in April", 'lambda e: e["start_date"].month == 4'),
    ):
        assert swapped(question, plan) == (question, plan)


def test_first_names_are_single_words() -> None:
    assert first_names(["Abena Ofosu", "the kids", "O'Neil Byrne", "Abena K."]) == [
        "Abena",
        "O'Neil",
    ]
