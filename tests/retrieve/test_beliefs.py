"""What readings say about texts that were not read."""

import numpy as np
import pytest

from reqap.retrieve.beliefs import EXPECTED, Beliefs

ALIKE = [[1.0, 0.0], [0.99, 0.1], [0.0, 1.0]]


def beliefs(odds: list[float], vectors: list[list[float]]) -> Beliefs:
    return Beliefs(np.array(odds, np.float32), np.array(vectors, np.float32), EXPECTED)


def read(found: Beliefs, place: int, odds: float) -> None:
    found.choose(place)
    found.learn([odds])


def test_the_least_certain_is_the_one_nearest_to_even_odds() -> None:
    assert beliefs([2.0, -0.1, -3.0], ALIKE).least_certain()[0] == 1


def test_what_was_read_is_not_read_again() -> None:
    found = beliefs([0.1, 3.0], [[1.0, 0.0], [0.0, 1.0]])
    read(found, 0, 0.0)
    assert found.least_certain()[0] == 1


def test_texts_follow_a_reading_as_far_as_they_are_alike() -> None:
    found = beliefs([0.5, 0.5, 0.5], ALIKE)
    read(found, 0, -5.0)
    same, near, far = found.odds
    assert same < near < far < 0.5


def test_readings_that_agree_with_the_cheap_score_change_nothing() -> None:
    found = beliefs([1.0, 2.0, -1.0], ALIKE)
    for place, odds in enumerate((1.0, 2.0, -1.0)):
        read(found, place, odds)
    assert found.odds == pytest.approx([1.0, 2.0, -1.0], abs=1e-4)


def test_it_is_what_all_readings_at_once_would_say() -> None:
    """One after the other comes to the same as the formula for all."""
    chance = np.random.default_rng(1)
    vectors = chance.normal(size=(7, 5))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    odds, seen = chance.normal(size=7), chance.normal(size=3)
    found = beliefs(odds.tolist(), vectors.tolist())
    for place, said in enumerate(seen):
        read(found, place, float(said))
    alike = np.exp((vectors @ vectors.T - 1) / EXPECTED.reach)
    common = EXPECTED.shift**2 + EXPECTED.own**2 * alike
    noisy = common[:3, :3] + EXPECTED.noise * np.eye(3)
    again = found.expected(odds.astype(np.float32), vectors.astype(np.float32))
    assert again == pytest.approx(found.odds, abs=1e-3)
    assert found.odds == pytest.approx(
        odds + common[:, :3] @ np.linalg.solve(noisy, seen - odds[:3]), abs=1e-3
    )


def test_without_readings_further_texts_keep_their_odds() -> None:
    given = np.array([1.0, -1.0, 0.0], np.float32)
    found = beliefs([0.5, 0.5, 0.5], ALIKE).expected(given, np.array(ALIKE, np.float32))
    assert found.tolist() == given.tolist()


def test_several_may_be_chosen_before_any_is_read() -> None:
    """What is like a chosen one is more certain, and the readings come to the same."""
    odds, said = [0.1, 0.35, 0.4], [2.0, -1.0]
    one_by_one, at_once = beliefs(odds, ALIKE), beliefs(odds, ALIKE)
    at_once.choose(0)
    assert at_once.least_certain()[0] == 2  # and not the second, which is like the first
    at_once.choose(2)
    at_once.learn(said)
    for place, one in zip((0, 2), said, strict=True):
        read(one_by_one, place, one)
    assert at_once.odds == pytest.approx(one_by_one.odds)
