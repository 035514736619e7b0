"""What is to be exported of a life: its observations since a day, and where the clocks stood."""

import hashlib
import random
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from reqap.perqa.persona import Persona
from reqap.perqa.texts import Observation


@dataclass(frozen=True)
class Traces:
    """One life as services and devices saw it. Times are wall times at home."""

    persona: Persona
    since: date
    observations: list[Observation]

    def of(self, *kinds: str) -> list[Observation]:
        return [one for one in self.observations if one.kind in kinds]

    def days(self) -> list[date]:
        span = (self.persona.today - self.since).days
        return [self.since + timedelta(days=number) for number in range(span + 1)]

    def zone(self, moment: date) -> ZoneInfo:
        """Where the clocks stood: at home, which may have been elsewhere then."""
        day = moment.date() if isinstance(moment, datetime) else moment
        return ZoneInfo(self.persona.home_on(day).timezone)

    def aware(self, local: datetime) -> datetime:
        return local.replace(tzinfo=self.zone(local))

    def utc(self, local: datetime) -> datetime:
        return self.aware(local).astimezone(UTC)

    @property
    def exported(self) -> datetime:
        """All exports were asked for on the morning after the last day."""
        return datetime.combine(self.persona.today + timedelta(days=1), time(10, 11, 12))

    def chance(self, name: str) -> random.Random:
        return random.Random(f"{self.persona.id}:{name}")


def digest(*parts: object) -> str:
    """A stable key for what services number in their own ways."""
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()


def minutes(one: Observation) -> float:
    return (one.end - one.start).total_seconds() / 60
