"""What she watches: series one after the other, films at weekends, cartoons for Lia."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from reqap.demo import bank
from reqap.demo.life import Life, moment

MINE, KIDS = "Inês", "Kids"


@dataclass(frozen=True)
class Viewing:
    """One stretch in front of a screen; `bookmark` is where in the film it stopped."""

    profile: str
    start: datetime
    seconds: int
    title: str
    zone: str
    country: str
    device: str
    bookmark: int
    finished: bool
    teaser: str = ""

    @property
    def end(self) -> datetime:
        return self.start + timedelta(seconds=self.seconds)


@dataclass(frozen=True)
class Episode:
    """A full title as Netflix prints it, its length, and when she may begin with it."""

    title: str
    minutes: int
    earliest: date
    pace: str


@dataclass(frozen=True)
class Film:
    title: str
    minutes: int
    earliest: date
    flags: tuple[str, ...]


def watch(life: Life) -> list[Viewing]:
    """All viewings, in time order; the busy stretches of the life are marked as taken."""
    rng = life.rng("watching")
    found: list[Viewing] = []
    queue, films = _episodes(), _films(rng)
    cartoons = _cartoons()
    last_weekly = date(2024, 1, 1)
    for day in life.days():
        found += _film_night(life, day, films, rng)
        if queue and queue[0].earliest <= day:
            weekly = queue[0].pace == "weekly" and day - last_weekly < timedelta(days=6)
            fresh = queue[0].earliest == day
            if not weekly and (fresh or rng.random() < _appetite(life, day, queue[0].pace)):
                seen = _series_night(life, day, queue, rng)
                last_weekly = day if seen else last_weekly
                found += seen
        found += _cartoon_time(life, day, cartoons, rng)
    return sorted(found, key=lambda viewing: viewing.start)


def _appetite(life: Life, day: date, pace: str) -> float:
    if life.is_ill(day) or life.break_on(day) == "ankle":
        return 0.95
    if life.trip_on(day):
        return 0.12
    return {"binge": 0.75, "slow": 0.42, "weekly": 0.9}[pace]


def _episodes() -> list[Episode]:
    """The queue: one series after the other, in the order of the table."""
    queue = []
    for title, season, earliest, minutes, pace, names in bank.table("series.txt", 6):
        for name in names.split("; "):
            full = f"{title}: {season}: {name}"
            queue.append(Episode(full, int(minutes), date.fromisoformat(earliest), pace))
    return queue


def _films(rng: random.Random) -> list[Film]:
    films = []
    for title, minutes, earliest, flags in bank.table("movies.txt", 4):
        begin = date(2024, 1, 1) if earliest == "-" else date.fromisoformat(earliest)
        films.append(Film(title, int(minutes), begin, tuple(flags.split())))
    rng.shuffle(films)
    return films


def _cartoons() -> list[tuple[str, int]]:
    found = []
    for title, season, minutes, names in bank.table("kids.txt", 4):
        found += [(f"{title}: {season}: {name}", int(minutes)) for name in names.split("; ")]
    return found


def _device(life: Life, day: date, rng: random.Random) -> str:
    if life.trip_on(day):
        return "Apple iPad Pro 11-inch (3rd Gen) WiFi"
    return rng.choices(
        ["Samsung 2021 Smart TV", "Apple iPad Pro 11-inch (3rd Gen) WiFi", "Chrome PC (Cadmium)"],
        [70, 20, 10],
    )[0]


def _show(
    life: Life, start: datetime, title: str, minutes: float, rng: random.Random, stop: float = 1.0
) -> Viewing | None:
    """One viewing, if she is free; `stop` is the share of the film she gets through."""
    seconds = int(minutes * 60 * stop - rng.randint(0, 50))
    if not life.is_free(start, start + timedelta(seconds=seconds)):
        return None
    day = start.date()
    viewing = Viewing(
        MINE,
        start,
        seconds,
        title,
        life.zone_on(day),
        life.country_on(day),
        _device(life, day, rng),
        seconds,
        stop >= 1.0,
    )
    life.occupy(viewing.start, viewing.end)
    return viewing


def _evening(life: Life, day: date, rng: random.Random) -> datetime:
    """Lia sleeps at eight; on football nights and travel days everything is later."""
    late = any(start.date() == day and end.hour >= 20 for start, end in life.busy[day])
    start = moment(day, 20, rng.randint(20, 50), rng.randint(0, 59))
    return max(start, life.last_activity(day) + timedelta(minutes=20)) if late else start


def _series_night(life: Life, day: date, queue: list[Episode], rng: random.Random) -> list[Viewing]:
    found: list[Viewing] = []
    start = moment(day, 14, rng.randint(0, 50)) if life.is_ill(day) else _evening(life, day, rng)
    most = _most(life, day, queue[0].pace, rng)
    latest = moment(day, 23, 20)
    series = queue[0].title.split(":")[0]
    while queue and len(found) < most and queue[0].title.startswith(series):
        episode = queue[0]
        if episode.earliest > day or start + timedelta(minutes=episode.minutes) > latest:
            break
        viewing = _show(life, start, episode.title, episode.minutes * rng.uniform(0.96, 1.03), rng)
        if viewing is None:
            break
        queue.pop(0)
        found.append(viewing)
        start = viewing.end + timedelta(seconds=rng.randint(5, 90))
        if episode.pace == "weekly":
            break
    return found


def _most(life: Life, day: date, pace: str, rng: random.Random) -> int:
    """How many episodes in a row: a sofa with a fever or a bad ankle holds more."""
    if life.is_ill(day) or life.break_on(day) == "ankle":
        return rng.randint(3, 5) if pace == "binge" else rng.randint(2, 3)
    return rng.randint(2, 4) if pace == "binge" else rng.randint(1, 2)


def _film_night(life: Life, day: date, films: list[Film], rng: random.Random) -> list[Viewing]:
    """A film on Friday, Saturday or a rainy Sunday; sometimes the end waits for tomorrow."""
    chance = {4: 0.5, 5: 0.5, 6: 0.28}.get(day.weekday(), 0.02) * (0.4 if life.trip_on(day) else 1)
    if rng.random() > chance:
        return []
    film = _choose(day, films)
    if film is None:
        return []
    kids = "kids" in film.flags and not life.trip_on(day)
    start = moment(day, 16, rng.randint(0, 40)) if kids else _evening(life, day, rng)
    if start + timedelta(minutes=film.minutes) > moment(day, 23, 55):
        return []
    if rng.random() < 0.16 and film.minutes > 95:
        return _in_two_parts(life, start, film, films, rng)
    viewing = _show(life, start, film.title, film.minutes, rng)
    if viewing is None:
        return []
    films.remove(film)
    return [viewing]


def _choose(day: date, films: list[Film]) -> Film | None:
    """Christmas films in December only, and then first of all."""
    christmas = day.month == 12
    fitting = [
        film for film in films if film.earliest <= day and ("xmas" in film.flags) == christmas
    ]
    new = [film for film in fitting if film.earliest > date(2024, 1, 1)]
    ordinary = [film for film in films if film.earliest <= day and "xmas" not in film.flags]
    return next(iter(new or fitting or (ordinary if christmas else [])), None)


def _in_two_parts(
    life: Life, start: datetime, film: Film, films: list[Film], rng: random.Random
) -> list[Viewing]:
    first = _show(life, start, film.title, film.minutes, rng, rng.uniform(0.45, 0.75))
    if first is None:
        return []
    films.remove(film)
    rest = film.minutes * 60 - first.bookmark
    for wait in range(1, 6):
        day = start.date() + timedelta(days=wait)
        again = _evening(life, day, rng)
        if again + timedelta(seconds=rest) > moment(day, 23, 55):
            continue
        second = _show(life, again, film.title, rest / 60, rng)
        if second is not None:
            end = film.minutes * 60 - rng.randint(60, 200)
            return [first, _with_bookmark(second, end)]
    return [first]


def _with_bookmark(viewing: Viewing, bookmark: int) -> Viewing:
    return Viewing(
        viewing.profile,
        viewing.start,
        viewing.seconds,
        viewing.title,
        viewing.zone,
        viewing.country,
        viewing.device,
        bookmark,
        True,
    )


def _cartoon_time(
    life: Life, day: date, cartoons: list[tuple[str, int]], rng: random.Random
) -> list[Viewing]:
    """Lia's half hour on Saturday and Sunday mornings, on the Kids profile."""
    if day.weekday() < 5 or life.trip_on(day) or rng.random() > 0.45:
        return []
    found = []
    start = moment(day, 7, rng.randint(5, 50), rng.randint(0, 59))
    for _ in range(rng.randint(1, 3)):
        title, minutes = rng.choice(cartoons)
        seconds = int(minutes * 60 * rng.uniform(0.8, 1.0))
        device = "Apple iPad Pro 11-inch (3rd Gen) WiFi"
        zone, country = life.zone_on(day), life.country_on(day)
        found.append(
            Viewing(
                KIDS, start, seconds, title, zone, country, device, seconds, seconds > minutes * 55
            )
        )
        start += timedelta(seconds=seconds + rng.randint(10, 60))
    return found
