"""What an asked key means, and which data keys may answer it.

One small ontology: each concept has the spellings in which questions ask for it and, best first,
the data keys in which exports tell it. Names the ontology does not know are compared word by word.
Not the job of this module: reading values (`reading`), the event's own times (`times`).
"""

import re
from functools import lru_cache
from typing import NamedTuple

from reqap.extract.times import FOREIGN, Own, is_time, own_of, span_of, word_set
from reqap.values import canonical_unit, unit_kind

MAX_KEY = 100
NUMBERS = ("int", "float")
LATE = 5.0  # data keys of this rank are asked after the texts

# Nature | asked spellings | data keys. The nature, if any, says what to look for in texts.
# "*": also with words in front ("ticket_price"); "~": only after the texts.
_TABLE = """
money | *price *cost *spent *paid *fee *expense amount total money spending payment total_amount
 order_total purchase_amount order_value purchase_value basket_value total_value | price
 total_price total order_total grand_total amount amount_paid cost fee paid unit_price
person | *participant *attendee *guest *companion with with_whom friend met_with *person_name
 | participants
 attendees guests people persons companions friends with person person_name
person | *people person who whom | participants attendees guests people persons
 companions friends with person person_name ~sender_name ~recipient
person | sender from from_whom author sent_by *sender_name who_sent who_wrote
 | sender_name sender from_name from author
person | *recipient receiver to to_whom sent_to addressed_to | recipient recipients to
person | *organizer *host | organizer host
| *sender_address *sender_email *sender_email_address from_address from_email
 | sender_email sender_address from_email from_address from_addr from_mail sender from
| calendar_name which_calendar | calendar calendar_name cal
| *artist *artist_name *singer *band *musician *performer | song_artist artist band
| *song *track *song_name *song_title *track_name *track_title music | song_name track
| movie film movie_name movie_title film_title | movie_title film movie
| *series tv_show show show_name show_title program | tvseries_title series show podcast_name
| *season season_number | tvseries_season season season_number season_name
| *episode *episode_name *episode_title | episode_name episode_title episode
| *book book_title | audiobook_title book_title book
| *product *item *item_name *product_name article bought | product item product_name item_name title
| *quantity qty count number_of_items number_of_products | product_quantity quantity qty count
| *category | category product_category categories
| shop store *store_name merchant vendor retailer seller | seller merchant store shop website
| sport *workout_type activity exercise workout_name training type sport_type exercise_type
 activity_type | workout_type activity_type sport exercise activity workout_name
length | *distance how_far | distance walking_distance cycling_distance swimming_distance
time | *duration how_long *time_spent *runtime *playtime length watch_time play_time total_time
 sleep_time screen_time | duration length elapsed_time moving_time
energy | *energy *energy_burned *calorie *calorie_burned | energy_burned active_energy calories
 energy energy_eaten
mass | *weight body_mass | weight body_weight body_mass
speed | *speed *pace velocity | average_speed speed pace
volume | fluid_volume | volume
temperature | *temperature | temperature body_temperature
| heart_rate pulse hr average_hr | average_heart_rate heart_rate resting_heart_rate
| *step *step_count | steps step_count
place | *location *place *venue where *address restaurant *restaurant_name cafe bar hotel
 *hotel_name cinema theatre theater museum *venue_name *place_name spot
 | location place venue address city loc
place | *destination | destination city ~location
place | *city *town | city town ~location
place | *country | country
| title name summary subject event event_name event_title *topic headline heading occasion meeting
 appointment subject_line *note_title *entry_title *mail_title *mail_subject *message_subject
 *meeting_title *appointment_title *post_title *meeting_name *appointment_name
 | title summary subject name song_name movie_title tvseries_title
 video_title episode_name podcast_name audiobook_title product event
| *text *body *content *message *detail description post note | text body description content
 message summary title
| company employer | company employer
| job job_title position role occupation | role job_title position job
| school university | school university
| birth_date birthday date_of_birth born | birth_date birthday since date
| order_id order_number | order order_id order_number
"""
_UNITS = word_set(
    "ms s seconds secs sec minutes mins min hours hrs days weeks km kms kilometers kilometres"
    " miles meters metres feet mm millimeters millimetres cm centimeters centimetres inches kg"
    " kgs kilos kilograms pounds lbs grams mg milligrams mcg micrograms ounces kcal"
    " kilocalories calories kj kilojoules kmh kph mph mps knots celsius fahrenheit h m g gram"
    " mi mile yd yds yards ft foot lb oz l liters litres liter litre ml milliliters"
    " millilitres cl dl gallons gal pints wh kwh"
)
MINUTES = ("'", "’", "′")
_SHORT = word_set("min ms s h m g l mi ft oz cl dl mm mg foot")  # units only behind a word
# Degrees are one letter, and only where a temperature is told: "tempC", but "vitamin_c".
_DEGREES = {"c": "degC", "f": "degF"}
_WARMTH = word_set(
    "temp temperature t peak high low max min maximum minimum ambient outside inside"
)
# Units that are also something else ("um", newton metres), where what they count is a length.
_LENGTHY = {"nm": "nmi", "um": "um"}
_LONG = word_set("distance dist sailed leg range log height thickness width diameter depth layer")
# What has a top: "peak_power", but neither "top_artist" nor "peak_name".
_RISING = word_set(
    "speed heart rate hr pulse power pace temperature temp elevation altitude cadence"
)
# What people call the number of a unit: "light_sleep_duration" is told in hours.
_MEASURES = {
    "time": word_set("duration"), "length": word_set("distance"),
    "mass": word_set("weight"), "energy": word_set("energy"), "volume": word_set("volume"),
    "temperature": word_set("temperature"), "speed": word_set("speed"),
}  # fmt: skip
AMOUNTS = ("money", *_MEASURES)  # natures of what has a unit
# Codes of currencies that are no other word.
_CURRENCIES = word_set(
    "eur usd gbp chf sek nok dkk isk jpy cny aud nzd pln czk huf bgn brl mxn clp uyu zar kes ngn"
    " egp krw hkd sgd twd thb idr myr vnd ils aed qar uah kzt"
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = re.compile(r"[^\W_]+")
_NAMING = word_set("name title")
_FILLERS = word_set("of the my a an in is was are were has have did does i it")
_VERBS = word_set("run ran slept spent read swum swam driven ridden lost")
# Of two things that are told apart so, one is not the other.
_APARTS = tuple(map(word_set, (
    "resting active maximum minimum average", "deep light rem", "systolic diastolic", "left right",
    "first last next", "inside outside", "upper lower", "front rear",
)))  # fmt: skip
# "how_it_was_paid" asks for no amount.
_HOW = word_set("much many long far often old fast high heavy")
_SAME = {"max": "maximum", "highest": "maximum",
         "lowest": "minimum", "num": "number", "avg": "average", "mean": "average",
         "organiser": "organizer", "indoor": "inside", "outdoor": "outside", "previous": "last",
         "pct": "percent", "percentage": "percent", "dur": "duration", "len": "length",
         "dist": "distance", "temp": "temperature", "vol": "volume", "amt": "amount",
         "qty": "quantity", "elev": "elevation", "alt": "altitude", "vert": "vertical"}  # fmt: skip
# Words that only say what sort of answer a key wants; keys of different sorts do not match.
_SORTS = {"name": "name", "title": "name", "full": "name", "type": "type", "kind": "type",
          "style": "type", "number": "number", "count": "number", "id": "number",
          "average": "average", "maximum": "maximum", "minimum": "minimum",
          "percent": "share"}  # fmt: skip
# What may stand beside "country" where one is asked for.
_COUNTRY = word_set("country which name visited visit travelled traveled travel trip destination")
_FOOD = word_set("dish food meal cuisine eaten ate drink")
_SORT_OF = word_set("type kind style sort category")
_PLACES = word_set("place venue location spot")
_LENGTHS = word_set("length")
_ELSEWHERE = word_set("departure origin home from sender start starting first previous")
_TOWNS = (("city",), ("town",), ("destination",))
_TURNING = FOREIGN | _SORTS.keys() | {"unit"}


class Concept(NamedTuple):
    nature: str
    data: dict[str, float]  # data key, normalised → its rank


class Asked(NamedTuple):
    """An asked key, understood as far as it goes without looking at data."""

    key: str
    type_name: str
    words: tuple[str, ...]  # of the key, normalised, without its unit
    unit: str | None  # the unit that the key names
    concept: Concept
    own: Own | None  # what the event's own times say to it

    @property
    def nature(self) -> str:
        return self.concept.nature

    @property
    def measure(self) -> str | None:
        """What its unit measures: "length", "time"."""
        return "time" if self.type_name == "timedelta" else unit_kind(self.unit)

    @property
    def called(self) -> frozenset[str]:
        """What columns of its unit may be called beside what they measure."""
        lengths = _LENGTHS if self.measure in ("time", "length") else frozenset()
        return _MEASURES.get(self.measure or "", frozenset()) | lengths

    @property
    def is_food(self) -> bool:
        """Whether something to eat is asked for, and not with whom or where."""
        return not _FOOD.isdisjoint(self.words) and self.nature not in ("person", "place")

    @property
    def is_cuisine(self) -> bool:
        return "cuisine" in self.words or (
            "food" in self.words and not _SORT_OF.isdisjoint(self.words)
        )

    @property
    def is_place_kind(self) -> bool:
        """Whether a kind of place is asked for: "place_type", "kind_of_venue"."""
        words = frozenset(self.words)
        is_kind = bool(words & _PLACES and words & _SORT_OF) and words <= _PLACES | _SORT_OF
        return is_kind and self.type_name in ("str", "list")

    @property
    def is_town(self) -> bool:
        """Whether a town is asked for, or where a journey went."""
        return self.names_town and (FOREIGN | _ELSEWHERE).isdisjoint(self.words)

    @property
    def names_town(self) -> bool:
        """The same of any town, also of that of a departure or a home."""
        return self.words[-1:] in _TOWNS and self.type_name in ("str", "list")

    @property
    def is_inexact(self) -> bool:
        """Whether a place is asked for, of which people also say what it lies in."""
        is_place = self.nature == "place" and self.words[-1:] != ("address",)
        return is_place and self.type_name in ("str", "list")

    @property
    def is_venue(self) -> bool:
        """Whether a place is asked for of which a town says only where it lies."""
        return self.is_inexact and not (self.names_town or self.is_country)

    @property
    def is_country(self) -> bool:
        """Whether a country is asked for, and not "country_music"."""
        named = self.words[-1:] == ("country",) or _COUNTRY.issuperset(self.words)
        asked = "country" in self.words and FOREIGN.isdisjoint(self.words)
        return named and asked and self.type_name in ("str", "list")


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is", "series")):
        return word
    if word.endswith("ies") and word not in ("movies", "calories", "cookies"):
        return word[:-3] + "y"
    return word[:-1]


@lru_cache(maxsize=4096)
def split_key(key: str) -> tuple[tuple[str, ...], str | None]:
    """The words of a key without its unit, and the unit: ("distance",), "km"."""
    plain = key[:MAX_KEY].replace("kWh", "kwh")
    found = [word.lower() for word in _WORD.findall(_HUMP.sub("_", plain))]
    if found[1:2] == ["of"] and found[0] in _NAMING:
        found.append(found.pop(0))  # "title of the mail" is the mail's title
    words = [word for word in found if word not in _FILLERS]
    unit = _last_unit(words)
    for at in (-1, 0) if unit is None and "per" not in words else ():
        # "min" is minutes behind a word and the minimum before one.
        alone = (at == 0 and not _is_played(words)) or len(words) == 1
        if words and words[at] in _UNITS and not (alone and words[at] in _SHORT):
            unit = canonical_unit(words.pop(at))
            break
    if words[:1] == ["min"]:
        words[0] = "minimum"
    if words[:1] in (["top"], ["peak"]) and not _RISING.isdisjoint(words[1:]):
        words[0] = "maximum"
    return tuple(_SAME.get(word, _singular(word)) for word in words), unit


def _last_unit(words: list[str]) -> str | None:
    """Takes a unit from the end: of several words ("km_per_hour"), one that is also something else,
    or a currency."""
    for size in (3, 2):
        rest = words[-size:]
        is_one = len(rest) == size and not (_UNITS | {"per"}).isdisjoint(rest)
        if is_one and (unit := canonical_unit("_".join(rest))):
            del words[-size:]
            return unit
    if words[-1:] and words[-1] in _LENGTHY and not _LONG.isdisjoint(words[:-1]):
        return _LENGTHY[words.pop()]
    if words[-1:] and words[-1] in _DEGREES and not _WARMTH.isdisjoint(words[:-1]):
        return _DEGREES[words.pop()]
    is_amount = len(words) > 1 and words[-1] in _CURRENCIES
    return words.pop().upper() if is_amount else None


def _is_played(words: list[str]) -> bool:
    """ "ms_played": milliseconds are nothing else."""
    return words[:1] == ["ms"] and words[-1].endswith("ed")


def text_unit(word: str) -> str | None:
    """The unit that a word of a text is, if it can hardly be anything else."""
    small = word.lower()
    if small.startswith(MINUTES):
        return "min"
    known = {small, f"{small}s"} & _UNITS or word in ("mi", "km/h", "°C", "°F")
    return canonical_unit(word) if known and word not in ("s", "ms") else None


def _spelled(key: str) -> str:
    return "_".join(split_key(key)[0]) or key


def _concepts() -> dict[str, Concept]:
    """Concepts by their natures and asked spellings; heads ("ticket_price") begin with "*"."""
    index = {"": Concept("", {})}
    for row in _TABLE.strip().replace("\n ", " ").splitlines():
        nature, asked, data = (part.strip() for part in row.split("|"))
        ranks: dict[str, float] = {}
        for at, key in enumerate(data.split()):
            rank = at / 100 + (LATE if key.startswith("~") else 2.0)
            ranks.setdefault(_spelled(key.lstrip("~")), rank)
        concept = Concept(nature, ranks)
        index.setdefault(nature, concept)
        for word in asked.split():
            index.setdefault(_spelled(word.lstrip("*")), concept)
            if word.startswith("*"):
                index.setdefault(f"*{_spelled(word[1:])}", concept)
    return index


_CONCEPTS = _concepts()
# Words of keys that ask who was there besides the user, and of those that do not.
_COMPANY = word_set("participant attendee guest companion people friend with whom met")
_APART = word_set("from to by sent")


def may_tell(asked: Asked, data_key: str) -> bool:
    """Whether a column of what people write may answer a key of which no rule knows: who wrote is
    nobody else, and where somebody was is neither a dish nor a kind of place."""
    nature = _concept(*split_key(data_key), False).nature
    asks_what = asked.is_food or not _SORT_OF.isdisjoint(asked.words)
    return nature != "person" and not (nature == "place" and asks_what)


def is_other(asked: Asked, data_key: str) -> bool:
    """Whether a column is told apart from what is asked for: the resting pulse from the highest."""
    words = frozenset(split_key(data_key)[0])
    both = ((apart & words, apart.intersection(asked.words)) for apart in _APARTS)
    return any(here and there and here.isdisjoint(there) for here, there in both)


def asks_company(asked: Asked) -> bool:
    """Whether a key asks with whom something was done: then the user is no answer."""
    words = asked.words
    return asked.nature == "person" and not _COMPANY.isdisjoint(words) and _APART.isdisjoint(words)


@lru_cache(maxsize=1024)
def understand(key: str, type_name: str) -> Asked:
    words, unit = split_key(key)
    lengths = type_name in (*NUMBERS, "timedelta")
    own = None if unit else own_of(words, type_name, key)
    concept = _CONCEPTS[""] if own and not own.is_last else _concept(words, unit, lengths)
    if concept.nature == "time" and lengths and is_time(unit):
        own = span_of(words, type_name, unit or "min")
    return Asked(key, type_name, words, unit, concept, own)


def _concept(words: tuple[str, ...], unit: str | None, lengths: bool) -> Concept:
    if words[:1] == ("how",) and _HOW.isdisjoint(words[1:2]):
        return _CONCEPTS[""]
    for at in range(len(words)):
        name = "*" * (at > 0) + "_".join(words[at:])
        # What stands in front must not change the meaning: no "birth_place", no "max_speed".
        if name in _CONCEPTS and _TURNING.isdisjoint(words[:at]):
            # "length_hours" is no distance.
            is_time = words[-1] == "length" and unit_kind(unit) == "time"
            return _CONCEPTS["time" if is_time else name]
    # "listening_time", "km", "hours_slept": one word says what is meant, if the others are verbs.
    time = words[-1:] == ("time",) and lengths
    verbs = words[:-1] if time else words
    if (time or unit) and all(word in _VERBS or word.endswith(("ed", "ing")) for word in verbs):
        return _CONCEPTS["time" if time else unit_kind(unit) or ""]
    return _CONCEPTS[""]


def rank(asked: Asked, kind: str, data_key: str) -> float | None:
    """How well a data key answers: lower is better, None is not at all."""
    if data_key == asked.key:
        return 0.0
    words, unit = split_key(data_key)
    if is_other(asked, data_key):
        return None
    if not words:
        meant = asked.nature or asked.measure
        return 2.5 if meant and meant == unit_kind(unit) else None
    if (words[-1] == "unit") != (asked.words[-1:] == ("unit",)):
        return None
    if "".join(words) == "".join(asked.words):
        return 1.0
    if asked.own and not asked.own.is_last and not asked.nature:
        return None  # the event's own time is better than a date that is called otherwise
    if (known := asked.concept.data.get("_".join(words))) is not None:
        return known - ("total" in asked.words and "total" in words)
    # What either side counts in says what the other one calls it.
    overlap = _overlap(
        frozenset(asked.words) - _MEASURES.get(unit_kind(unit) or "", frozenset()),
        frozenset(words) - asked.called,
        frozenset(split_key(kind)[0]),
    )
    return 4.0 - overlap if overlap else None


def _overlap(asked: frozenset[str], data: frozenset[str], kind: frozenset[str]) -> float:
    """The share of common words; 0 where either side says something that the other does not."""
    shared = asked & data
    for one in asked - data:
        near = {other for other in data - asked if min(len(one), len(other)) >= 5}
        if same := {other for other in near if other.endswith(one) or one.endswith(other)}:
            shared |= {one, *same}
    sorts = [{_SORTS[word] for word in words if word in _SORTS} for words in (asked, data)]
    if sorts[0] and sorts[1] and sorts[0].isdisjoint(sorts[1]):
        return 0.0
    if not shared - _SORTS.keys() or (asked | data) - shared - _SORTS.keys() - kind:
        return 0.0
    return len(shared) / len(asked | data)
