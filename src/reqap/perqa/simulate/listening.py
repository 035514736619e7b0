"""Music: on the way, at work, in the kitchen, while training, at night."""

import random
from datetime import date, datetime, timedelta

from reqap.perqa import facts
from reqap.perqa.canonical import Event
from reqap.perqa.simulate.life import Life, Weighted, at, weighted

# Kinds of sessions: the hour they begin, how many songs, and how likely on workdays and other days.
_SESSIONS = (
    (7.4, (3, 8), 0.42, 0.05),
    (9.6, (5, 16), 0.22, 0.18),
    (13.2, (3, 9), 0.12, 0.25),
    (17.4, (3, 9), 0.4, 0.1),
    (18.9, (4, 10), 0.26, 0.34),
    (21.6, (3, 14), 0.14, 0.3),
    (23.2, (3, 8), 0.06, 0.14),
)
_COMMUTES = frozenset({7.4, 17.4})  # of these, those on the way to work and back
_MEAN_SONGS = 11.0  # a day, of the sessions above


def add_music(life: Life) -> None:
    ear = _Ear(life)
    workouts: dict[date, list[Event]] = {}
    for event in life.events:
        if event.table == "workouts":
            workouts.setdefault(event.start.date(), []).append(event)
    for day in life.days():
        ear.day(day, workouts.get(day, []))


class _Ear:
    """Plays one song after the other, never two at once."""

    def __init__(self, life: Life) -> None:
        self._life = life
        self._chance = life.chance("music")
        self._silent_until = datetime.min
        self._busy = life.persona.music.frequency / _MEAN_SONGS
        self._season: dict[tuple[int, int], Weighted[facts.Song]] = {}
        taste = life.persona.music
        loved = set(taste.favourites)
        self._songs = [
            song
            for song in facts.songs()
            if song.genre in taste.genres or loved & set(song.artists)
        ]
        self._liking = {
            song: min(self._chance.paretovariate(1.4), 14.0)
            * (3.0 if loved & set(song.artists) else 1.0)
            for song in self._songs
        }

    def day(self, day: date, workouts: list[Event]) -> None:
        chance, life = self._chance, self._life
        for workout in workouts:
            alone = not workout.participants
            kind = workout.text("workout_type")
            if alone and kind not in ("swimming", "football", "tennis") and chance.random() < 0.6:
                self._play(workout.start + timedelta(minutes=1), workout.end)
        earlier, longer = self._commute(day)
        for hour, size, on_workday, otherwise in _SESSIONS:
            likely = on_workday if life.is_workday(day) else otherwise
            if day in life.ill or not life.at_home(day):
                likely *= 0.5
            if chance.random() < likely * min(self._busy, 2.2):
                start = at(day, hour + chance.uniform(-0.4, 0.5))
                songs = chance.randint(*size) * max(self._busy / 2.2, 1.0)
                if hour in _COMMUTES and life.is_workday(day):
                    start += timedelta(hours=earlier if hour < 12 else -earlier)
                    songs *= longer
                self._play(start, start + timedelta(minutes=songs * 3.4))

    def _commute(self, day: date) -> tuple[float, float]:
        """How the way to work differs, in hours and in length: each job has its own."""
        job = self._life.persona.job_on(day)
        if job is None or self._life.locked_down(day):
            return 0.0, 0.3
        way = random.Random(f"{job.what}:{job.start}")
        return way.uniform(-0.8, 0.6), way.uniform(0.5, 1.9)

    def _play(self, start: datetime, end: datetime) -> None:
        chance = self._chance
        moment = max(start, self._silent_until) + timedelta(seconds=chance.randrange(50))
        pool = self._pool(start)
        while moment < end:
            song = pool.draw(chance)
            skipped = chance.random() < 0.08
            seconds = chance.randint(15, 70) if skipped else song.seconds
            over = moment + timedelta(seconds=seconds)
            self._life.add(
                "music",
                moment,
                over,
                {
                    "song_name": song.title, "artists": song.artists, "genre": song.genre,
                    "duration_seconds": seconds,
                },
                takes_time=False,
            )  # fmt: skip
            moment = over + timedelta(seconds=chance.choice((0, 1, 1, 2, 3)))
        self._silent_until = max(self._silent_until, moment)

    def _pool(self, moment: datetime) -> Weighted[facts.Song]:
        """What one likes just now: each quarter has its own crazes."""
        quarter = moment.year, moment.month // 4
        if quarter not in self._season:
            craze = random.Random(f"{self._life.persona.id}:{self._life.seed}:{quarter}")
            weights = [
                self._liking[song] * (craze.uniform(3, 9) if craze.random() < 0.04 else 1.0)
                for song in self._songs
            ]
            self._season[quarter] = weighted(self._songs, weights)
        return self._season[quarter]
