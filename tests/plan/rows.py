"""Plans around one expression: over rows with attributes of many types, and over groups."""

EVENTS = (
    'EXTRACT(l=RETRIEVE(query="x"), attr_names=["n", "flag", "day", "moment", "title", "names"], '
    "attr_types=[int, bool, date, datetime, str, list])"
)


def over_rows(body: str) -> str:
    return f'MAP(l={EVENTS}, fct=lambda a: {body}, res_name="r")'


def over_groups(body: str) -> str:
    grouped = f'GROUP_BY(l={EVENTS}, attr_names=["title"])'
    return f'MAP(l={grouped}, fct=lambda g: {body}, res_name="r")'
