"""What she hears: commutes, focus at work, cooking, the running playlist, parties.

A play is the truth; `spotify` writes it twice (extended and account data) on purpose.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from reqap.demo import bank
from reqap.demo.life import LAST, Life, Occasion, Workout, moment
from reqap.demo.people import home_on


@dataclass(frozen=True)
class Song:
    artist: str
    album: str
    title: str
    seconds: int
    tastes: tuple[str, ...]


@dataclass(frozen=True)
class Podcast:
    show: str
    episode: str
    seconds: int


@dataclass(frozen=True)
class Play:
    """One stream; `start` is local wall time of `zone`."""

    start: datetime
    ms: int
    item: Song | Podcast
    zone: str
    country: str
    platform: str
    shuffle: bool
    skipped: bool
    first: bool

    @property
    def end(self) -> datetime:
        return self.start + timedelta(milliseconds=self.ms)


@dataclass(frozen=True)
class Pool:
    """Songs to draw from, and their weights."""

    songs: list[Song]
    weights: list[float]


@dataclass(frozen=True)
class Mood:
    """A kind of session: where the songs come from and what she plays them on."""

    tastes: tuple[str, ...]
    platform: str
    shuffle: bool = True
    skip: float = 0.08


PHONE, LAPTOP, SPEAKER = "ios", "osx", "sonos"
COMMUTE = Mood(("indie", "rock", "de", "pt", "soul"), PHONE, skip=0.14)
FOCUS = Mood(("focus", "chill"), LAPTOP, skip=0.04)
COOKING = Mood(("pt", "soul", "chill", "indie"), SPEAKER)
RUN = Mood(("run",), PHONE, skip=0.1)
KIDS = Mood(("kids",), SPEAKER, shuffle=False, skip=0.03)
PARTY = Mood(("party", "run", "pt"), SPEAKER, skip=0.12)
AWAY = Mood(("chill", "indie", "pt"), PHONE)
PORTO = Mood(("pt",), PHONE)


def songs() -> list[Song]:
    """The music library."""
    found = []
    for artist, album, tastes, titles in bank.table("songs.txt", 4):
        for entry in titles.split("; "):
            title, _, length = entry.rpartition(" ")
            minutes, seconds = length.split(":")
            total = int(minutes) * 60 + int(seconds)
            found.append(Song(artist, album, title, total, tuple(tastes.split())))
    return found


def podcasts() -> list[Podcast]:
    return [Podcast(row[0], row[1], int(row[2]) * 60) for row in bank.table("podcasts.txt", 3)]


def listen(life: Life) -> list[Play]:
    """All plays of the two years, in time order and never two at once."""
    ear = Ear(life)
    runs = {workout.start.date(): workout for workout in life.workouts if workout.kind == "running"}
    for day in life.days():
        if life.trip_on(day):
            ear.away(day)
        else:
            ear.at_home(day)
        if day in runs:
            ear.run(runs[day])
    for occasion in life.occasions:
        ear.party(occasion)
    return _untangled(ear.plays)


def _untangled(plays: list[Play]) -> list[Play]:
    """Drop what would sound on top of something else."""
    found: list[Play] = []
    for play in sorted(plays, key=lambda play: (play.start, play.ms)):
        if not found or play.start >= found[-1].end:
            found.append(play)
    return found


class Ear:
    """Draws sessions and collects their plays."""

    def __init__(self, life: Life) -> None:
        self.life = life
        self.rng = life.rng("listening")
        self.plays: list[Play] = []
        self.library = songs()
        self.shows = podcasts()
        self.heard: dict[Podcast, int] = {}
        concerts = [(o.start.date(), o.tagged("concert")) for o in life.occasions]
        self.concerts = [(day, artist) for day, artist in concerts if artist]
        self.pools = self._pools()

    def _pools(self) -> dict[str, Pool]:
        """Songs by taste and by artist, each with how much she likes it."""
        pools: dict[str, Pool] = {}
        for song in self.library:
            love = self.rng.uniform(0.3, 1.0) ** 3 + 0.05
            tastes = ("xmas",) if "xmas" in song.tastes else song.tastes
            for key in (*tastes, song.artist):
                pool = pools.setdefault(key, Pool([], []))
                pool.songs.append(song)
                pool.weights.append(love)
        return pools

    def at_home(self, day: date) -> None:
        """An ordinary day in Hamburg."""
        rng = self.rng
        if self.life.is_ill(day):
            if rng.random() < 0.4:
                self.podcast(moment(day, 11, rng.randint(0, 40)), SPEAKER)
            return
        if self.life.is_workday(day):
            self._workday(day)
        elif rng.random() < 0.5:
            self.session(moment(day, 9, rng.randint(0, 30)), rng.randint(5, 9), KIDS)
        elif rng.random() < 0.6:
            self.session(moment(day, 11, rng.randint(0, 50)), rng.randint(6, 14), COOKING)
        if rng.random() < (0.4 if day.weekday() < 5 else 0.5):
            self.session(
                moment(day, 17, rng.randint(58, 59)) + _some(rng, 35), rng.randint(6, 12), COOKING
            )

    def _workday(self, day: date) -> None:
        rng = self.rng
        morning = moment(day, 8, rng.randint(5, 15), rng.randint(0, 59))
        draw = rng.random()
        if draw < 0.3:
            self.podcast(morning, PHONE)
        elif draw < 0.85:
            self.session(morning, rng.randint(6, 9), COMMUTE)
        if rng.random() < 0.38:
            self.session(
                moment(day, 9, rng.randint(30, 59)) + _some(rng, 60), rng.randint(7, 13), FOCUS
            )
        evening = moment(day, 17, rng.randint(5, 18), rng.randint(0, 59))
        if rng.random() < 0.62:
            self.session(evening, rng.randint(5, 9), COMMUTE)
        elif draw < 0.3:
            self.podcast(evening, PHONE)

    def away(self, day: date) -> None:
        """Trips: a train ride, an hour in the evening, Portuguese songs in Portugal."""
        rng = self.rng
        for occasion in self.life.occasions:
            train = occasion.kind == "travel" and "Flight" not in occasion.summary
            if train and occasion.start.date() == day:
                self.session(
                    occasion.start + timedelta(minutes=20), rng.randint(9, 18), AWAY, force=True
                )
        trip = self.life.trip_on(day)
        hour = 20 if trip and day == trip.end else 18
        mood = PORTO if self.life.country_on(day) == "PT" else AWAY
        if rng.random() < 0.45:
            self.session(moment(day, hour, rng.randint(30, 50)), rng.randint(4, 9), mood)

    def run(self, workout: Workout) -> None:
        """The running playlist begins while she ties her shoes and ends with the run."""
        start = workout.start - timedelta(minutes=self.rng.randint(9, 15))
        self.session(start, 60, RUN, until=workout.end, force=True)

    def party(self, occasion: Occasion) -> None:
        """Guests at home in the evening mean music."""
        home = occasion.location.startswith(home_on(occasion.start.date()))
        if home and occasion.kind in ("social", "family") and occasion.start.hour >= 18:
            end = (occasion.end or occasion.start) - timedelta(minutes=20)
            self.session(occasion.start, self.rng.randint(24, 40), PARTY, until=end, force=True)

    def session(
        self,
        start: datetime,
        count: int,
        mood: Mood,
        until: datetime | None = None,
        force: bool = False,
    ) -> None:
        """Play songs one after the other until `count`, `until`, or something else begins."""
        day, rng = start.date(), self.rng
        zone, country = self.life.zone_on(day), self.life.country_on(day)
        recent: list[Song] = []
        now = start
        for number in range(count):
            song = self._pick(day, mood, recent)
            skipped = rng.random() < mood.skip
            ms = (
                rng.randint(1200, 45000)
                if skipped
                else song.seconds * 1000 + rng.randint(-900, 900)
            )
            end = now + timedelta(milliseconds=ms)
            past = until is not None and end > until
            if past or end.date() > LAST or (not force and not self.life.is_free(now, end)):
                return
            shuffle = mood.shuffle and not skipped
            first = number == 0
            self.plays.append(
                Play(now, ms, song, zone, country, mood.platform, shuffle, skipped, first)
            )
            recent.append(song)
            now = end + timedelta(milliseconds=rng.choice([0, 40, 180, 900]))

    def podcast(self, start: datetime, platform: str) -> None:
        """One show on the way; long ones are finished on the way back."""
        rng, day = self.rng, start.date()
        begun = [show for show, heard in self.heard.items() if 0 < heard < show.seconds - 120]
        fresh = [show for show in self.shows if show not in self.heard]
        show = begun[0] if begun else rng.choice(fresh or self.shows)
        heard = self.heard.get(show, 0) if begun else 0
        seconds = min(show.seconds - heard, rng.randint(24, 36) * 60)
        if not self.life.is_free(start, start + timedelta(seconds=seconds)):
            return
        self.heard[show] = heard + seconds
        zone, country = self.life.zone_on(day), self.life.country_on(day)
        ms = seconds * 1000 + rng.randint(0, 900)
        self.plays.append(Play(start, ms, show, zone, country, platform, False, False, True))

    def _pick(self, day: date, mood: Mood, recent: list[Song]) -> Song:
        pool = self._pool(day, mood)
        for _ in range(6):
            song = self.rng.choices(pool.songs, pool.weights)[0]
            if song not in recent[-12:]:
                break
        return song

    def _pool(self, day: date, mood: Mood) -> Pool:
        """The artist of the next concert, Christmas songs in December, else the mood."""
        rng = self.rng
        for night, artist in self.concerts:
            near = -8 <= (night - day).days <= 24
            if near and mood not in (RUN, KIDS) and rng.random() < 0.38:
                return self.pools[artist]
        if day.month == 12 and day.day <= 26 and mood is not RUN and rng.random() < 0.3:
            return self.pools["xmas"]
        return self.pools[rng.choice(mood.tastes)]


def _some(rng: random.Random, minutes: int) -> timedelta:
    return timedelta(minutes=rng.randint(0, minutes), seconds=rng.randint(0, 59))
