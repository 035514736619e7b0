"""What an appointment says besides its time: the subject, the place, the people.

Not the job of this module: times and repetition (`appointments`).
"""

import re
from collections.abc import Sequence

from reqap.events import Value
from reqap.sources.ics import Component, Property
from reqap.sources.markup import html_to_text

_HTML = re.compile(r"<(?:br|p|a|b|i|u|ul|ol|li|div|span|html|body|strong|em)\b[^<>]{0,500}>", re.I)
_MAX_TEXT = 1 << 15  # a series repeats its text five thousand times
_MAX_NAME = 500
_RESPONSES = {
    "ACCEPTED": "accepted",
    "TENTATIVE": "tentative",
    "DECLINED": "declined",
    "DELEGATED": "delegated",
    "NEEDS-ACTION": "",
}
_NOBODY = ("RESOURCE", "ROOM")
# Also repeated with every date of a series.
_MOST_PEOPLE = 200
_MOST_CATEGORIES = 50


def details(component: Component, who: Sequence[str], calendar_name: str) -> dict[str, Value]:
    """The data of an appointment; what is missing is left out."""
    data: dict[str, Value] = {}
    for key, text in (
        ("summary", component.text("SUMMARY")),
        ("location", _location(component)),
        ("description", _description(component)),
    ):
        if text:
            data[key] = text[:_MAX_TEXT]
    if participants := _participants(component):
        data["participants"] = participants[:_MOST_PEOPLE]
    if (organizer := component.first("ORGANIZER")) and (name := _person(organizer)):
        data["organizer"] = name
    if categories := _categories(component):
        data["categories"] = categories[:_MOST_CATEGORIES]
    if calendar_name:
        data["calendar_name"] = calendar_name
    if component.text("STATUS").upper() == "TENTATIVE":
        data["status"] = "tentative"
    if response := my_response(component, who, calendar_name):
        data["my_response"] = response
    url = component.text("URL")
    if url.startswith(("http://", "https://")):
        data["url"] = url[:2000]
    return data


def excess(component: Component) -> str:
    """What an appointment has more of than `details` takes; empty where it takes all."""
    if len(component.all("ATTENDEE")) > _MOST_PEOPLE:
        count = len(_participants(component))
        if count > _MOST_PEOPLE:
            return f"the first {_MOST_PEOPLE} of {count} participants"
    count = len(_categories(component))
    return f"the first {_MOST_CATEGORIES} of {count} categories" if count > _MOST_CATEGORIES else ""


def my_response(component: Component, who: Sequence[str], calendar_name: str) -> str:
    """What the user answered to an invitation; empty where that is not known.

    Google names a person's main calendar after their address.
    """
    me = {name.casefold() for name in (*who, calendar_name) if name}
    for attendee in component.all("ATTENDEE"):
        names = {_name(attendee).casefold(), _address(attendee).casefold()}
        if not me.isdisjoint(names - {""}):
            return _RESPONSES.get(attendee.parameters.get("PARTSTAT", "").upper(), "")
    return ""


def _location(component: Component) -> str:
    if text := component.text("LOCATION"):
        return text
    place = component.first("X-APPLE-STRUCTURED-LOCATION")
    return place.parameters.get("X-TITLE", "").replace("\\n", "\n").strip() if place else ""


def _description(component: Component) -> str:
    text = component.text("DESCRIPTION") or component.text("X-ALT-DESC")
    if "<" not in text or not _HTML.search(text):
        return text
    # Google writes HTML and keeps the line ends of plain text in it.
    return html_to_text(text[:_MAX_TEXT].replace("\n", "<br>"))


def _participants(component: Component) -> list[str]:
    persons = [
        _person(attendee)
        for attendee in component.all("ATTENDEE")
        if attendee.parameters.get("CUTYPE", "").upper() not in _NOBODY
    ]
    return list(dict.fromkeys(person for person in persons if person))


def _categories(component: Component) -> list[str]:
    found = [name.strip() for item in component.all("CATEGORIES") for name in item.text.split(",")]
    return list(dict.fromkeys(name[:_MAX_NAME] for name in found if name))


def _person(item: Property) -> str:
    return _name(item) or _address(item)


def _name(item: Property) -> str:
    return item.parameters.get("CN", "").strip(" '\"")[:_MAX_NAME]


def _address(item: Property) -> str:
    """The mail address; Apple also writes other addresses, which nobody reads as names."""
    scheme, colon, rest = item.value.strip().partition(":")
    if colon and scheme.lower() == "mailto":
        return rest.strip()[:320]
    return "" if colon else item.value.strip()[:320]
