"""Damage to the bytes of a sample, for tests that a reader survives anything."""

from hypothesis import strategies as st

_ODD = (b"", b"\x00", b"\xff\xfe", b"\n", b"\r\n\r\n", b"From ", b"=", b":", b";", b'"', b"9" * 30)


def mutations(data: st.DataObject, raw: bytes) -> bytes:
    """`raw` with a few bytes flipped, and stretches cut, doubled, moved or put in."""
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw)))
        to = data.draw(st.integers(at, min(len(raw), at + 300)))
        way = data.draw(st.sampled_from(["flip", "cut", "double", "insert", "end", "move"]))
        if way == "flip":
            raw = (
                raw[:at]
                + bytes(b ^ data.draw(st.integers(1, 255)) for b in raw[at : at + 2])
                + raw[at + 2 :]
            )
        elif way == "cut":
            raw = raw[:at] + raw[to:]
        elif way == "double":
            raw = raw[:to] + raw[at:to] + raw[to:]
        elif way == "insert":
            raw = raw[:at] + data.draw(st.sampled_from(_ODD) | st.binary(max_size=20)) + raw[at:]
        elif way == "end":
            raw = raw[:at]
        else:
            raw = raw[to:] + raw[at:to] + raw[:at]
    return raw
