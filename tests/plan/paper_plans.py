"""The decompositions that the paper prints, and the complete plans they make.

`DECOMPOSITIONS`: for each example, every question with the step that answers it, the first being
the question a person asked. `COMPLETE`: for each example, the plan in which every question is
replaced by its step. The running example is told in words in the paper, not printed.
"""

import re

Steps = dict[str, str]

DECOMPOSITIONS: dict[str, Steps] = {
    "running example": {
        "How often did I eat Italian food after playing football?": (
            'APPLY(l=QUD("I ate Italian food after playing football"), fct=len)'
        ),
        "I ate Italian food after playing football": (
            'JOIN(l1=QUD("I played football"), l2=QUD("I ate Italian food"), '
            'condition="i1.end_datetime <= i2.start_datetime and '
            'i1.start_date == i2.start_date")'
        ),
        "I played football": (
            'EXTRACT(l=QUD("football"), attr_names=["start_date", "end_datetime"], '
            "attr_types=[date.fromisoformat, datetime.fromtimestamp])"
        ),
        "football": 'RETRIEVE(query="I played football")',
        "I ate Italian food": (
            'EXTRACT(l=QUD("Italian meals"), attr_names=["start_date", "start_datetime"], '
            "attr_types=[date.fromisoformat, datetime.fromtimestamp])"
        ),
        "Italian meals": (
            'FILTER(l=QUD("meals with cuisine"), filter=lambda attr: attr["cuisine"] == "Italian")'
        ),
        "meals with cuisine": ('EXTRACT(l=QUD("meals"), attr_names=["cuisine"], attr_types=[str])'),
        "meals": 'RETRIEVE(query="I ate food")',
    },
    "anecdote 1": {
        "How much money did I spend on online purchases in March 2022?": (
            'SUM(l=QUD("my online purchases in March 2022 with amounts"), attr_name="amount_spent")'
        ),
        "my online purchases in March 2022 with amounts": (
            'EXTRACT(l=QUD("my online purchases in March 2022"), attr_names=["amount_spent"], '
            "attr_types=[float])"
        ),
        "my online purchases in March 2022": (
            'FILTER(l=QUD("my online purchases with date"), filter=lambda attr: '
            'attr["purchase_date"].year == 2022 and attr["purchase_date"].month == 3)'
        ),
        "my online purchases with date": (
            'EXTRACT(l=QUD("my online purchases"), attr_names=["purchase_date"], '
            "attr_types=[date.fromisoformat])"
        ),
        "my online purchases": 'RETRIEVE(query="my online purchases")',
    },
    "anecdote 2": {
        "First football training after I started as Engineer -- when was it?": (
            'MIN(l=QUD("football training sessions after I started as Engineer"), '
            'attr_name="start_datetime")'
        ),
        "football training sessions after I started as Engineer": (
            'FILTER(l=QUD("my football training sessions with datetime"), filter=lambda attr: '
            'attr["start_datetime"] >=QUD("first start datetime as Engineer").result)'
        ),
        "my football training sessions with datetime": (
            'EXTRACT(l=QUD("my football training sessions"), attr_names=["start_datetime"], '
            "attr_types=[datetime.fromtimestamp])"
        ),
        "my football training sessions": 'RETRIEVE(query="I played football")',
        "first start datetime as Engineer": (
            'MIN(l=QUD("start datetime as Engineer"), attr_name="start_datetime")'
        ),
        "start datetime as Engineer": (
            'EXTRACT(l=QUD("I started as Engineer"), attr_names=["start_datetime"], '
            "attr_types=[datetime.fromtimestamp])"
        ),
        "I started as Engineer": 'RETRIEVE(query="I started as Engineer")',
    },
    # The paper prints the question of anecdote 4 above these steps.
    "anecdote 3": {
        "which restaurants did we visit when in Bali, Indonesia": (
            'EXTRACT(l=QUD("restaurants we visited in Bali, Indonesia"), '
            'attr_names=["restaurant_name"], attr_types=[str])'
        ),
        "restaurants we visited in Bali, Indonesia": (
            'JOIN(l1=QUD("restaurants we visited with date"), '
            'l2=QUD("we were in Bali, Indonesia with start and end date"), '
            'condition="i1.visit_date >= i2.start_date and i1.visit_date <= i2.end_date")'
        ),
        "restaurants we visited with date": (
            'EXTRACT(l=QUD("restaurants I visited"), '
            'attr_names=["visit_date", "restaurant_name"], attr_types=[date.fromisoformat, str])'
        ),
        "restaurants I visited": 'RETRIEVE(query="restaurants I visited")',
        "we were in Bali, Indonesia with start and end date": (
            'EXTRACT(l=QUD("I was in Bali, Indonesia"), attr_names=["start_date", "end_date"], '
            "attr_types=[date.fromisoformat, date.fromisoformat])"
        ),
        "I was in Bali, Indonesia": 'RETRIEVE(query="I was in Bali, Indonesia")',
    },
    "anecdote 4": {
        "Which doctor's appointment was the earliest in the day?": (
            'ARGMIN(l=QUD("my doctor\'s appointments with start time"), '
            'arg_attr_name="start_time", val_attr_name="appointment_details")'
        ),
        "my doctor's appointments with start time": (
            'EXTRACT(l=QUD("my doctor\'s appointments"), '
            'attr_names=["start_time", "appointment_details"], '
            "attr_types=[time.fromisoformat, str])"
        ),
        "my doctor's appointments": 'RETRIEVE(query="my doctor\'s appointments")',
    },
    "anecdote 5": {
        "how many products did I buy online in the last 6 months?": (
            'SUM(l=QUD("products bought online in the last 6 months"), attr_name="quantity")'
        ),
        "products bought online in the last 6 months": (
            'FILTER(l=QUD("products bought online with purchase date"), filter=lambda attr: '
            'attr["purchase_date"] >= (date.today() - relativedelta(months=6)))'
        ),
        "products bought online with purchase date": (
            'EXTRACT(l=QUD("products bought online"), attr_names=["purchase_date", "quantity"], '
            "attr_types=[date.fromisoformat, int])"
        ),
        "products bought online": 'RETRIEVE(query="I bought a product online")',
    },
    "in-context example 1": {
        "On which day did I listen to music the most?": (
            'ARGMAX(l=QUD("number of songs I listened per day?"), arg_attr_name="num_songs", '
            'val_attr_name="start_date")'
        ),
        "number of songs I listened per day?": (
            'MAP(l=QUD("my songs I listened to grouped by day"), fct=len, res_name="num_songs")'
        ),
        "my songs I listened to grouped by day": (
            'GROUP_BY(l=QUD("instances I listened to music with date"), attr_names=["start_date"])'
        ),
        "instances I listened to music with date": (
            'EXTRACT(l=QUD("I listened to music"), attr_names=["start_date"], '
            "attr_types=[date.fromisoformat])"
        ),
        "I listened to music": 'RETRIEVE(query="I listened to music")',
    },
    "in-context example 2": {
        "how often did I meet with both my parents in the evening?": (
            'APPLY(l=QUD("I met with both my parents in the evening"), fct=len)'
        ),
        "I met with both my parents in the evening": (
            'FILTER(l=QUD("instances I met with both my parents"), filter=lambda attr: '
            'attr["start_time"].hour >= 18 and attr["start_time"].hour < 24)'
        ),
        "instances I met with both my parents": (
            'JOIN(l1=QUD("instances I met with my mum"), l2=QUD("instances I met with my dad"), '
            'condition="i1.start_datetime <= i2.end_datetime and '
            'i2.start_datetime <= i1.end_datetime")'
        ),
        "instances I met with my mum": 'RETRIEVE(query="I met with my mum")',
        "instances I met with my dad": 'RETRIEVE(query="I met with my dad")',
    },
    "in-context example 3": {
        "how much money did I spend online the last three years?": (
            'SUM(l=QUD("my online purchases in the last three years with amounts"), '
            'attr_name="amount_spent")'
        ),
        "my online purchases in the last three years with amounts": (
            'EXTRACT(l=QUD("my online purchases in the last three years"), '
            'attr_names=["amount_spent"], attr_types=[float])'
        ),
        "my online purchases in the last three years": (
            'FILTER(l=QUD("my online purchases with date"), filter=lambda attr: '
            'attr["purchase_date"] >= (date.today() - relativedelta(years=3)))'
        ),
        "my online purchases with date": (
            'EXTRACT(l=QUD("my online purchases"), attr_names=["purchase_date"], '
            "attr_types=[date.fromisoformat])"
        ),
        "my online purchases": 'RETRIEVE(query="my online purchases")',
    },
    "in-context example 4": {
        "which artist did I listen to most when running?": (
            'ARGMAX(l=QUD("number of songs grouped by artist while running"), '
            'arg_attr_name="count", val_attr_name="artist")'
        ),
        "number of songs grouped by artist while running": (
            'MAP(l=QUD("songs grouped by artist while running"), fct=len, res_name="count")'
        ),
        "songs grouped by artist while running": (
            'GROUP_BY(l=QUD("songs listened to while running with artist"), attr_names=["artist"])'
        ),
        "songs listened to while running with artist": (
            'UNNEST(l=QUD("songs listened to while running with artist names"), '
            'nested_attr_name="artist_names", unnested_attr_name="artist")'
        ),
        "songs listened to while running with artist names": (
            'EXTRACT(l=QUD("songs listened to while running"), attr_names=["artist_names"], '
            "attr_types=[list])"
        ),
        "songs listened to while running": (
            'JOIN(l1=QUD("songs I listened to with start and end datetime"), '
            'l2=QUD("I went running with start and end datetime"), '
            'condition="i1.start_datetime >= i2.start_datetime and '
            'i1.end_datetime <= i2.end_datetime")'
        ),
        "songs I listened to with start and end datetime": (
            'EXTRACT(l=QUD("songs I listened to"), '
            'attr_names=["start_datetime", "end_datetime"], '
            "attr_types=[datetime.fromtimestamp, datetime.fromtimestamp])"
        ),
        "songs I listened to": 'RETRIEVE(query="I listened to a song")',
        "I went running with start and end datetime": (
            'EXTRACT(l=QUD("I went running"), attr_names=["start_datetime", "end_datetime"], '
            "attr_types=[datetime.fromtimestamp, datetime.fromtimestamp])"
        ),
        "I went running": 'RETRIEVE(query="I went running")',
    },
    "in-context example 5": {
        "how often did I meet with Robert in the park?": (
            'APPLY(l=QUD("I met with Robert in the park"), fct=len)'
        ),
        "I met with Robert in the park": (
            'FILTER(l=QUD("I met with Robert with location"), '
            'filter=lambda attr: "park" in attr["location"].lower())'
        ),
        "I met with Robert with location": (
            'EXTRACT(l=QUD("I met with Robert"), attr_names=["location"], attr_types=[str])'
        ),
        "I met with Robert": (
            'FILTER(l=QUD("I met with someone with participants"), filter=lambda attr: '
            'any("robert" in p.lower() for p in attr["participants"]))'
        ),
        "I met with someone with participants": (
            'EXTRACT(l=QUD("I met with someone"), attr_names=["participants"], attr_types=[list])'
        ),
        "I met with someone": 'RETRIEVE(query="I met with someone")',
    },
}

_QUESTION = re.compile(r'QUD\("([^"]*)"\)')


def braced(step: str) -> str:
    """A step in the other spelling of the paper: `{{ QUD("…") }}`."""
    return _QUESTION.sub(lambda found: "{{ " + found[0] + " }}", step)


def assembled(question: str, steps: Steps) -> str:
    """The plan for a question: its step, with each question in it replaced by its own plan."""
    return _QUESTION.sub(lambda found: assembled(found[1], steps), steps[question])


COMPLETE: dict[str, str] = {
    name: assembled(next(iter(steps)), steps) for name, steps in DECOMPOSITIONS.items()
}
