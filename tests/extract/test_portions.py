"""Long texts are read in portions, each with the head of the text."""

from hypothesis import given
from hypothesis import strategies as st

from reqap.extract.portions import Portion, portions_of, surest
from reqap.extract.told import NOTHING, SAID, Told

HEAD = "mail; subject: news; sender: Bo; text: "
LETTER = HEAD + " ".join(f"On day {n} we went to see the sea, and it was wet." for n in range(40))


def test_a_short_text_is_read_at_once() -> None:
    assert portions_of(HEAD + "We had soup.") == [Portion(HEAD + "We had soup.")]


def test_portions_have_the_head_and_whole_sentences() -> None:
    portions = portions_of(LETTER)
    assert len(portions) > 2
    assert all(one.text.startswith(HEAD + "On day") for one in portions)
    assert all(one.text.rstrip().endswith("wet.") for one in portions)
    assert HEAD + "".join(one.text[one.size :] for one in portions) == LETTER


def test_pieces_have_their_places_in_the_whole_text() -> None:
    portion = portions_of(LETTER)[1]
    at = portion.text.index("sea")
    told = portion.placed(Told(SAID, 0.9, ((at, at + 3), (6, 13))))
    place = told.spans[0]
    assert LETTER[slice(*place)] == "sea"
    assert place[0] > at
    assert told.spans[1] == (6, 13)  # in the head


def test_the_surest_portion_counts() -> None:
    nothing, weak = Told(NOTHING, 0.99), Told(SAID, 0.8, ((1, 2),), "", (0.9,))
    doubtful, sure = Told(SAID, 0.9, ((3, 4),), "", (0.3,)), Told(SAID, 0.85, ((5, 6),), "", (1.0,))
    assert surest([nothing, weak, doubtful, sure]) == sure
    assert surest([nothing]) == nothing


def test_a_list_is_not_cut_within_words() -> None:
    note = "bread and milk, " * 30 + "dinner cost 164.50 euros, " + "eggs and ham, " * 30
    portions = portions_of(f"note; text: {note}")
    assert sum("cost 164.50 euros" in one.text for one in portions) == 1
    assert all(one.text.endswith(", ") for one in portions)


def test_of_a_long_head_the_beginning_goes_with_every_portion() -> None:
    head = "mail; recipient: " + ", ".join(f"Friend {n}" for n in range(200)) + "; text: "
    portions = portions_of(head + "We went to the sea. " * 100)
    assert all(one.text.startswith(head[:300] + "We went") for one in portions)
    at = portions[1].text.index("sea")
    (place,) = portions[1].placed(Told(SAID, 0.9, ((at, at + 3),))).spans
    assert (head + "We went to the sea. " * 100)[slice(*place)] == "sea"


@given(st.text(max_size=12).map(lambda text: text * 1000))
def test_any_text_is_read_in_a_few_portions(text: str) -> None:
    portions = portions_of(text)
    assert 1 <= len(portions) <= 12
    assert all(len(one.text) <= 2000 for one in portions)
    for one in portions:
        assert text[one.begin :].startswith(one.text[one.size :])
