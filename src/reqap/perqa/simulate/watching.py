"""Films and series, in the evening, on weekends, and sometimes too late at night."""

import random
from collections.abc import Iterator
from datetime import date, datetime, timedelta

from reqap.perqa import facts
from reqap.perqa.simulate.life import Life, about, at, poisson, weighted


def add_movies(life: Life) -> None:
    chance = life.chance("movies")
    taste = life.persona.movies
    known = {movie.title: movie for movie in facts.movies()}
    pool = [movie for movie in facts.movies() if movie.genre in taste.genres]
    drawn = chance.sample(pool, min(len(pool), int(taste.frequency * 330)))
    loved = [known[title] for title in taste.favourites if title in known]
    films = weighted(
        [*loved, *drawn], [3.0] * len(loved) + [chance.paretovariate(2.5) for _ in drawn]
    )
    for day in life.days():
        mean = taste.frequency / 7 * (1.7 if day.weekday() in (4, 5, 6) else 0.72)
        mean *= 1.35 if life.locked_down(day) or day in life.ill else 1.0
        for _ in range(min(poisson(chance, mean), 2)):
            movie = films.draw(chance)
            start = _evening(chance, day)
            seen = movie.minutes * (chance.uniform(0.15, 0.6) if chance.random() < 0.07 else 1)
            end = start + timedelta(minutes=round(seen))
            if movie.year <= day.year and life.is_free(start, end):
                life.add(
                    "movies",
                    start,
                    end,
                    {
                        "movie_title": movie.title, "genre": movie.genre,
                        "release_year": movie.year, "director": movie.director,
                        "duration_minutes": float(round(seen)),
                    },
                )  # fmt: skip


def _evening(chance: random.Random, day: date) -> datetime:
    afternoon = day.weekday() > 4 and chance.random() < 0.3
    hour = chance.uniform(13.5, 17) if afternoon else chance.uniform(19.3, 21.7)
    return at(day, hour) + timedelta(seconds=chance.randrange(60))


def add_series(life: Life) -> None:
    chance = life.chance("series")
    taste = life.persona.series
    episodes = _episodes(life, chance)
    for day in life.days():
        # People watch in bouts: many evenings nothing, then two or three at once.
        mean = taste.frequency / 7 / 1.9 * (1.5 if day.weekday() > 4 else 0.8)
        mean *= 1.5 if life.locked_down(day) or day in life.ill else 1.0
        if chance.random() > mean:
            continue
        start = at(day, chance.uniform(18.8, 21.5)) + timedelta(seconds=chance.randrange(60))
        for _ in range(chance.choice((1, 1, 2, 2, 3))):
            show, season, episode = next(episodes)
            minutes = round(about(chance, show.minutes, 0.06))
            end = start + timedelta(minutes=minutes)
            if not life.is_free(start, end):
                break
            life.add(
                "series",
                start,
                end,
                {
                    "series_title": show.title, "season": season, "episode": episode,
                    "episode_name": f"Episode {episode}", "genre": show.genre,
                    "duration_minutes": float(minutes),
                },
            )  # fmt: skip
            start = end + timedelta(seconds=chance.randint(10, 900))


def _episodes(life: Life, chance: random.Random) -> Iterator[tuple[facts.Series, int, int]]:
    """One series after the other, from the first episode on; some are given up, some seen again."""
    taste = life.persona.series
    known = {show.title: show for show in facts.series()}
    loved = [known[title] for title in taste.favourites if title in known]
    others = [s for s in facts.series() if s.genre in taste.genres and s not in loved]
    chance.shuffle(others)
    queue = [*loved]
    for other in others:
        queue.insert(chance.randrange(len(queue) + 1), other)
    while True:
        for show in queue:
            given_up = show not in loved and chance.random() < 0.35
            left = chance.randint(1, 7) if given_up else sum(show.seasons)
            for season, size in enumerate(show.seasons, 1):
                for episode in range(1, size + 1):
                    if left:
                        left -= 1
                        yield show, season, episode
