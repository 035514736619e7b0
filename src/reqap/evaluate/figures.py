"""Two sorts of figures, as SVG: points in a plane, and bars made of parts."""

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

_WIDTH, _HEIGHT, _LEFT, _TOP, _BELOW = 640, 360, 70, 30, 50
_COLOURS = ("#3366cc", "#dc7f2e", "#3a9d5d", "#8a8a8a", "#9b59b6")


class Point(NamedTuple):
    x: float
    y: float
    label: str


def scatter(title: str, across: str, up: str, series: Mapping[str, Sequence[Point]]) -> str:
    """Points by series; to the right on a logarithmic scale, upward from 0 to 1."""
    points = [point for some in series.values() for point in some]
    low, high = (f(math.log10(point.x) for point in points) for f in (min, max))
    room = max(high - low, 0.1)
    low, high = low - 0.1 * room, high + 0.15 * room

    def place(point: Point) -> tuple[float, float]:
        share = (math.log10(point.x) - low) / (high - low)
        return _LEFT + share * (_WIDTH - _LEFT - 20), _up(point.y)

    parts = [_text(_WIDTH / 2, 18, title, "middle", 14)]
    for step in range(0, 11, 2):
        y = _up(step / 10)
        parts.append(f'<path d="M{_LEFT} {y:.0f}H{_WIDTH - 20}" stroke="#ddd"/>')
        parts.append(_text(_LEFT - 8, y + 4, f"{step / 10:.1f}", "end"))
    for x in sorted({point.x for point in points})[:: max(1, len(points) // 8)]:
        at, _ = place(Point(x, 0, ""))
        parts.append(_text(at, _HEIGHT - _BELOW + 18, f"{x:,.0f}", "middle"))
    parts.append(_text(_WIDTH / 2, _HEIGHT - 12, across, "middle"))
    parts.append(_text(14, _TOP - 8, up, "start"))
    for number, (name, some) in enumerate(series.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        parts.append(_key(_LEFT + 10, _TOP + 14 + 18 * number, colour, name))
        for point in some:
            x, y = place(point)
            told = f"<title>{escape(point.label)}: {point.y:.3f}</title>"
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}">{told}</circle>')
    return _page(_HEIGHT, parts)


def _up(share: float) -> float:
    return _HEIGHT - _BELOW - share * (_HEIGHT - _BELOW - _TOP)


def bars(title: str, unit: str, rows: Mapping[str, Mapping[str, float]]) -> str:
    """A bar for each row, made of its parts."""
    names = list(dict.fromkeys(name for parts in rows.values() for name in parts))
    most = max((sum(parts.values()) for parts in rows.values()), default=0.0) or 1.0
    height = _TOP + 40 * len(rows) + 50
    left = 130
    drawn = [_text(_WIDTH / 2, 18, title, "middle", 14)]
    for number, (row, parts) in enumerate(rows.items()):
        y, x = _TOP + 40 * number + 6, float(left)
        drawn.append(_text(left - 8, y + 18, row, "end"))
        for name, value in parts.items():
            width = value / most * (_WIDTH - left - 90)
            colour = _COLOURS[names.index(name) % len(_COLOURS)]
            told = f"<title>{escape(name)}: {value:.2f} {escape(unit)}</title>"
            drawn.append(f'<rect x="{x:.1f}" y="{y}" width="{max(width, 0.5):.1f}" height="26"'
                         f' fill="{colour}">{told}</rect>')  # fmt: skip
            x += width
        drawn.append(_text(x + 6, y + 18, f"{sum(parts.values()):.2f} {unit}", "start"))
    for number, name in enumerate(names):
        colour = _COLOURS[number % len(_COLOURS)]
        drawn.append(_key(left + 110 * number, height - 18, colour, name))
    return _page(height, drawn)


def _key(x: float, y: float, colour: str, name: str) -> str:
    square = f'<rect x="{x:.0f}" y="{y - 10:.0f}" width="12" height="12" fill="{colour}"/>'
    return square + _text(x + 18, y, name, "start")


def _text(x: float, y: float, text: str, anchor: str, size: int = 12) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">'
        f"{escape(text)}</text>"
    )


def _page(height: float, parts: Sequence[str]) -> str:
    inner = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}"'
        f' font-family="sans-serif">\n<rect width="100%" height="100%" fill="white"/>\n{inner}\n'
        "</svg>\n"
    )
