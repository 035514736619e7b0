"""Lines after a question, in many wordings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reqap.followup import follow_up, hangs_on_answer
from reqap.followup.things import base_form

PEOPLE = {"Laura", "Tom", "Mary Ann", "mum"}
RAN = "How often did I go running in 2023?"
KM = "How many kilometres did I run in each month of 2023?"
ATE = "How often did I eat Italian food with Laura in Rome last year?"
SONGS = "How many songs did I listen to on weekends in May 2023?"
WHEN = "When did I last watch a movie?"
SPENT = "How much did I spend on books since 2020?"
MAILS = "How many mails did I get from Tom?"
BARE = "my runs in 2023"
AFTER = "How often did I eat Italian food after playing football?"
WHO = "Who wrote me the most mails in 2023?"
TOP = "Which artist did I listen to most on weekends?"
LONGEST = "What was my longest run in 2023?"
MET = "Did I meet Tom in March?"
FILMS = "How many movies by Christopher Nolan did I watch?"
PER_MONTH = "How far did I walk in 2023 per month?"
DENTIST = "When did I last go to the dentist?"
MONEY = "How much money did I spend on groceries in December 2022?"
LATE = "How often did I listen to jazz after 6 PM on Sundays?"

TIMES = [
    (RAN, "and in 2022?", "How often did I go running in 2022?"),
    (RAN, "2022?", "How often did I go running in 2022?"),
    (RAN, "What about last year?", "How often did I go running last year?"),
    (RAN, "and since 2020", "How often did I go running since 2020?"),
    (RAN, "how about the last 3 months?", "How often did I go running the last 3 months?"),
    (RAN, "only on Sundays", "How often did I go running in 2023 on Sundays?"),
    (RAN, "and in May?", "How often did I go running in May 2023?"),
    (RAN, "in the evening?", "How often did I go running in 2023 in the evening?"),
    (RAN, "between 2019 and 2021?", "How often did I go running between 2019 and 2021?"),
    (RAN, "and yesterday?", "How often did I go running yesterday?"),
    (RAN, "two weeks ago?", "How often did I go running two weeks ago?"),
    (RAN, "And how often was that in 2021?", "How often did I go running in 2021?"),
    (KM, "and in 2022?", "How many kilometres did I run in each month of 2022?"),
    (KM, "and last year?", "How many kilometres did I run in each month of last year?"),
    (KM, "per week?", "How many kilometres did I run per week of 2023?"),
    (SONGS, "and in June?", "How many songs did I listen to on weekends in June 2023?"),
    (SONGS, "in 2022?", "How many songs did I listen to on weekends in May 2022?"),
    (SONGS, "and on Mondays", "How many songs did I listen to on Mondays in May 2023?"),
    (SONGS, "weekdays?", "How many songs did I listen to on weekdays in May 2023?"),
    (SPENT, "2021?", "How much did I spend on books since 2021?"),
    (SPENT, "and before 2019?", "How much did I spend on books before 2019?"),
    (LATE, "before noon?", "How often did I listen to jazz before noon on Sundays?"),
    (LATE, "after 8:30 pm?", "How often did I listen to jazz after 8:30 pm on Sundays?"),
    (WHEN, "in 2022", "When did I last watch a movie in 2022?"),
    (BARE, "and in 2022?", "my runs in 2022"),
]  # fmt: skip
PEOPLE_AND_PLACES = [
    (RAN, "only with Laura", "How often did I go running with Laura in 2023?"),
    (RAN, "and with my sister?", "How often did I go running with my sister in 2023?"),
    (RAN, "Laura?", "How often did I go running with Laura in 2023?"),
    (RAN, "what about mum", "How often did I go running with mum in 2023?"),
    (ATE, "and with Tom?", "How often did I eat Italian food with Tom in Rome last year?"),
    (ATE, "without Laura", "How often did I eat Italian food without Laura in Rome last year?"),
    (ATE, "What about Tom?", "How often did I eat Italian food with Tom in Rome last year?"),
    (ATE, "how about Mary Ann?",
     "How often did I eat Italian food with Mary Ann in Rome last year?"),
    (ATE, "in Berlin?", "How often did I eat Italian food with Laura in Berlin last year?"),
    (ATE, "and at home", "How often did I eat Italian food with Laura at home last year?"),
    (MAILS, "and from Laura?", "How many mails did I get from Laura?"),
    (MAILS, "Laura?", "How many mails did I get from Laura?"),
    (RAN, "and in Berlin with Tom in 2021?",
     "How often did I go running in Berlin with Tom in 2021?"),
    (RAN, "with Tom and Laura", "How often did I go running with Tom and Laura in 2023?"),
    (RAN, "in Indiana", "How often did I go running in Indiana in 2023?"),
    (RAN, "and in '22?", "How often did I go running in '22?"),
    (RAN, "this year so far", "How often did I go running this year?"),
    (RAN, "at the gym instead", "How often did I go running at the gym in 2023?"),
]  # fmt: skip
THINGS = [
    (RAN, "what about swimming?", "How often did I go swimming in 2023?"),
    (RAN, "and cycling", "How often did I go cycling in 2023?"),
    (KM, "what about cycling?", "How many kilometres did I cycle in each month of 2023?"),
    (KM, "and hiking in 2022?", "How many kilometres did I hike in each month of 2022?"),
    (ATE, "what about sushi?", "How often did I eat sushi with Laura in Rome last year?"),
    (SPENT, "and groceries?", "How much did I spend on groceries since 2020?"),
    (SPENT, "on music?", "How much did I spend on music since 2020?"),
    (SONGS, "what about podcasts?",
     "How many podcasts did I listen to on weekends in May 2023?"),
    ("How often did I play football in May?", "and swimming?", "How often did I swim in May?"),
    (SPENT, "clothing?", "How much did I spend on clothing since 2020?"),
    (WHEN, "and a series?", "When did I last watch a series?"),
    (LATE, "rock?", "How often did I listen to rock after 6 PM on Sundays?"),
    (BARE, "what about swims?", "my swims in 2023"),
    (AFTER, "and after swimming?", "How often did I eat Italian food after swimming?"),
    (RAN, "only more than 10 km", "How often did I go running more than 10 km in 2023?"),
]  # fmt: skip
MORE = [
    (WHO, "and in 2024?", "Who wrote me the most mails in 2024?"),
    (WHO, "only from work", "Who wrote me the most mails from work in 2023?"),
    (TOP, "and during the week?", "Which artist did I listen to most during the week?"),
    (TOP, "what about albums?", "Which albums did I listen to most on weekends?"),
    (TOP, "and least?", "Which artist did I listen to least on weekends?"),
    (TOP, "in summer 2023", "Which artist did I listen to most on weekends in summer 2023?"),
    (TOP, "which song?", "Which song did I listen to most on weekends?"),
    (LONGEST, "shortest?", "What was my shortest run in 2023?"),
    (LONGEST, "and with Tom?", "What was my longest run with Tom in 2023?"),
    (MET, "and Laura?", "Did I meet Laura in March?"),
    (MET, "yesterday?", "Did I meet Tom yesterday?"),
    (MET, "how often?", "How often did I meet Tom in March?"),
    (PER_MONTH, "with Tom?", "How far did I walk with Tom in 2023 per month?"),
    (FILMS, "and Quentin Tarantino?", "How many movies by Quentin Tarantino did I watch?"),
    (FILMS, "what about series?", "How many series by Christopher Nolan did I watch?"),
    (DENTIST, "the hairdresser?", "When did I last go to the hairdresser?"),
    (DENTIST, "and first?", "When did I first go to the dentist?"),
    (MONEY, "at Aldi?", "How much money did I spend on groceries at Aldi in December 2022?"),
    (MONEY, "in Q1 2023?", "How much money did I spend on groceries in Q1 2023?"),
    (MONEY, "how many euros?", "How many euros did I spend on groceries in December 2022?"),
]  # fmt: skip
ASKED = [
    (RAN, "and when?", "When did I go running in 2023?"),
    (KM, "how many hours?", "How many hours did I run in each month of 2023?"),
    (WHEN, "and where?", "Where did I last watch a movie?"),
    (RAN, "with whom?", "With whom did I go running in 2023?"),
    (SONGS, "which artists?", "Which artists did I listen to on weekends in May 2023?"),
]  # fmt: skip
NEW = [
    (None, "and in 2022?"),
    (RAN, "How many songs did I hear in 2022?"),
    (RAN, "and did I swim in 2022?"),
    (RAN, "What was my longest run?"),
    (RAN, "my songs in 2022"),
    (RAN, "Which artist do I like most?"),
    (RAN, ""),
    (RAN, "?"),
    (RAN, "and"),
    (AFTER, "what about tennis?"),
    (RAN, "and before that?"),
    (RAN, "the year before?"),
    (SONGS, "how often?"),
    (WHO, "messages?"),
    (RAN, "what about football?"),
    (ATE, "thanks"),
    (ATE, "2022 and 2023?"),
    (ATE, "and not in 2022?"),
    (ATE, "in 2022 instead of 2023?"),
    (ATE, "hello"),
    (ATE, "ok"),
    (ATE, "and him?"),
    (ATE, "what else?"),
    (ATE, "what?"),
    (ATE, "why?"),
    (ATE, "show more"),
    (TOP, "Radiohead?"),
    (KM, "what about books?"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("last", "line", "meant"), TIMES + PEOPLE_AND_PLACES + THINGS + MORE + ASKED
)
def test_a_piece_takes_the_place_of_its_sort(last: str, line: str, meant: str) -> None:
    assert follow_up(line, last, PEOPLE.__contains__) == meant


@pytest.mark.parametrize(("last", "line"), NEW)
def test_what_is_not_clear_is_a_question_of_its_own(last: str | None, line: str) -> None:
    assert follow_up(line, last, PEOPLE.__contains__) is None


def test_one_follows_another() -> None:
    question = RAN
    for line in ("and in 2022?", "only with Laura", "what about swimming?", "on Sundays", "2021?"):
        question = str(follow_up(line, question, PEOPLE.__contains__))
    assert question == "How often did I go swimming with Laura in 2021 on Sundays?"


@pytest.mark.parametrize("activity", [
    "run running", "paddle paddling",
    "swim swimming", "cycle cycling", "hike hiking", "walk walking", "dance dancing",
    "ski skiing", "row rowing", "read reading", "jog jogging", "drive driving", "climb climbing",
    "skate skating", "travel traveling", "bake baking", "box boxing", "eat eating"
])  # fmt: skip
def test_an_activity_as_a_verb(activity: str) -> None:
    base, told = activity.split()
    assert base_form(told) == base


@given(st.text(max_size=60), st.sampled_from([RAN, KM, ATE, BARE, AFTER]))
def test_any_line_is_a_question_or_none(line: str, last: str) -> None:
    meant = follow_up(line, last)
    assert meant is None or meant.strip()


@pytest.mark.parametrize(
    ("line", "hangs"),
    [
        ("and before that?", True),
        ("and the year before", True),
        ("and why?", True),
        ("and in 2022?", False),
        ("what about swimming?", False),
        ("what did I do before that?", False),
        ("my runs", False),
        ("and " * 5_000, False),
    ],
)
def test_what_only_the_last_answer_could_tell(line: str, hangs: bool) -> None:
    assert hangs_on_answer(line) is hangs
