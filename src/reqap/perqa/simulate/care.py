"""Milestones, illnesses and doctors: what comes from the persona's own facts."""

import random
from datetime import date, timedelta

from reqap.perqa.canonical import Property
from reqap.perqa.persona import Doctor
from reqap.perqa.simulate.life import DAY, Life, at, poisson

_VISITS = {
    "dentist": 1.8, "gp": 2.4, "ophthalmologist": 0.7, "dermatologist": 0.6, "gynaecologist": 0.9,
    "physiotherapist": 1.5, "orthopaedist": 0.5, "cardiologist": 0.6, "paediatrician": 2.2,
    "veterinarian": 1.4,
}  # fmt: skip


def add_milestones(life: Life) -> None:
    """Milestones take no time of the day: they are dates one remembers."""
    persona = life.persona
    found: list[tuple[date, dict[str, Property]]] = []
    for job in persona.jobs:
        told: dict[str, Property] = {"company": job.what, "role": job.role, "city": job.city}
        found.append((job.start, {"milestone": "new job", **told}))
    for school in persona.schools:
        told = {"school": school.what, "subject": school.role, "city": school.city}
        found.append((school.start, {"milestone": "new education", **told}))
    for home in persona.homes:
        found.append((home.start, {"milestone": "new residence", "city": home.city}))
    for partner in persona.related("partner"):
        if persona.married:
            found.append((persona.married, {"milestone": "marriage", "name": partner.name}))
    for kid in persona.related("daughter", "son", "child"):
        if kid.birth_date:
            found.append((kid.birth_date, {"milestone": "new kid", "name": kid.name}))
    for pet in persona.pets:
        found.append((pet.start, {"milestone": "new pet", "name": pet.name}))
    for day, properties in found:
        if life.in_data(day):
            life.add("milestones", at(day, 0), at(day, 23.98), properties, takes_time=False)


def add_illnesses(life: Life) -> None:
    """A few days in bed, mostly in winter. Not events: they keep people from going out."""
    chance = life.chance("illness")
    day = life.persona.first
    while day <= life.persona.today:
        likely = 0.012 if day.month in (11, 12, 1, 2, 3) else 0.004
        if chance.random() < likely and life.at_home(day):
            for _ in range(chance.randint(2, 5)):
                life.ill.add(day)
                day += DAY
        day += DAY


def add_appointments(life: Life) -> None:
    chance = life.chance("doctors")
    persona = life.persona
    for doctor in persona.doctors:
        for year in range(persona.first.year, persona.today.year + 1):
            for _ in range(poisson(chance, _VISITS[doctor.kind])):
                _add_appointment(life, chance, doctor, year)


def _add_appointment(life: Life, chance: random.Random, doctor: Doctor, year: int) -> None:
    for _ in range(20):
        day = date(year, 1, 1) + timedelta(days=chance.randrange(365))
        if not (life.in_data(day) and day.weekday() < 5 and life.at_home(day)):
            continue
        if persona_city(life, day) != doctor.city:
            continue
        patient = _patient(life, chance, doctor, day)
        start = at(day, chance.choice((8, 8.5, 9.25, 10, 11.5, 13.75, 14.5, 15.25, 16, 17)))
        end = start + timedelta(minutes=chance.choice((15, 20, 30, 30, 45, 60)))
        if patient is None or not life.is_free(start, end):
            continue
        life.add(
            "doctor_appointments",
            start,
            end,
            {
                "doctor_type": doctor.kind, "doctor": doctor.name, "patient": patient[0],
                "patient_relation": patient[1], "reason": chance.choice(doctor.reasons),
                "city": doctor.city,
            },
        )  # fmt: skip
        return


def persona_city(life: Life, day: date) -> str:
    return life.persona.home_on(day).city


def _patient(
    life: Life, chance: random.Random, doctor: Doctor, day: date
) -> tuple[str, str] | None:
    """Whom the appointment is for: a child, a pet, or oneself."""
    persona = life.persona
    if doctor.kind == "paediatrician":
        kids = life.living(day, persona.related("daughter", "son", "child"))
        young = [kid for kid in kids if kid.age_on(day) < 16]
        kid = chance.choice(young) if young else None
        return (kid.name, kid.relation) if kid else None
    if doctor.kind == "veterinarian":
        pets = [p for p in persona.pets if p.start <= day and (p.end is None or day <= p.end)]
        pet = chance.choice(pets) if pets else None
        return (pet.name, "pet") if pet else None
    return persona.name, "self"
