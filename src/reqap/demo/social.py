"""Writes Instagram (with Meta's broken escapes) and the Mastodon archive."""

from __future__ import annotations

import hashlib
import html
from datetime import datetime
from pathlib import Path

from reqap.demo import bank, pack
from reqap.demo.life import Life, utc

ACTOR = "https://norden.social.example/users/ines_b"
PUBLIC = "https://www.w3.org/ns/activitystreams#Public"


def write_instagram(life: Life, folder: Path) -> None:
    """`instagram-2026-01-03.zip`."""
    posts = []
    for block in bank.blocks("instagram.txt", 2):
        when = datetime.fromisoformat(block.head[0])
        stamp = int(utc(when, life.zone_on(when.date())).timestamp())
        posts.append(_post(block.body, f"{when:%Y%m}", stamp, int(block.head[1])))
    posts.reverse()
    members = {
        "your_instagram_activity/media/posts_1.json": pack.to_json(
            posts, indent=2, ascii_only=True
        ),
        "start_here.html": b"<html><body>Your Instagram information</body></html>\n",
    }
    pack.write_zip(folder / "instagram-2026-01-03.zip", members)


def broken(text: str) -> str:
    """Meta writes UTF-8 bytes as if each were a Latin-1 character."""
    return text.encode("utf-8").decode("latin-1")


def _post(text: str, month: str, stamp: int, pictures: int) -> dict[str, object]:
    """One picture carries its text itself; several leave it to the post above them."""
    media = []
    for number in range(pictures):
        name = hashlib.sha256(f"{stamp}{number}".encode()).hexdigest()[:17]
        media.append(
            {
                "uri": f"media/posts/{month}/{int(name, 16) % 10**17}_n_{number}.jpg",
                "creation_timestamp": stamp - (pictures - number) * 2,
                "media_metadata": {"photo_metadata": {"exif_data": [{"device_id": "ios-demo"}]}},
                "title": broken(text) if pictures == 1 else "",
                "cross_post_source": {"source_app": "FB"},
            }
        )
    if pictures == 1:
        media[0]["creation_timestamp"] = stamp
        return {"media": media}
    return {"media": media, "title": broken(text), "creation_timestamp": stamp}


def write_mastodon(life: Life, folder: Path) -> None:
    """The folder `mastodon-archive`."""
    blocks = sorted(bank.blocks("mastodon.txt", 2), key=lambda block: block.head[0])
    items = [_activity(block, life) for block in blocks]
    outbox = {
        "@context": "https://www.w3.org/ns/activitystreams",
        "id": "outbox.json",
        "type": "OrderedCollection",
        "totalItems": len(items),
        "orderedItems": items,
    }
    actor = {
        "@context": "https://www.w3.org/ns/activitystreams",
        "id": ACTOR,
        "type": "Person",
        "preferredUsername": "ines_b",
        "name": "Inês B.",
        "published": "2022-11-06T00:00:00Z",
    }
    base = folder / "mastodon-archive"
    pack.write_file(base / "outbox.json", pack.to_json(outbox))
    pack.write_file(base / "actor.json", pack.to_json(actor))


def _activity(block: bank.Block, life: Life) -> dict[str, object]:
    when = datetime.fromisoformat(block.head[0])
    moment = utc(when, life.zone_on(when.date()))
    published = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    number = int(moment.timestamp() * 1000) << 16
    base = {
        "id": f"{ACTOR}/statuses/{number}/activity",
        "actor": ACTOR,
        "published": published,
        "to": [PUBLIC],
        "cc": [f"{ACTOR}/followers"],
    }
    if block.head[1] == "boost":
        return {**base, "type": "Announce", "object": block.body}
    paragraphs = "".join(
        f"<p>{html.escape(part, quote=False)}</p>" for part in block.body.split("\n\n")
    )
    content = paragraphs.replace("\n", "<br />")
    note = {
        "id": f"{ACTOR}/statuses/{number}",
        "type": "Note",
        "summary": None,
        "inReplyTo": None,
        "published": published,
        "url": f"https://norden.social.example/@ines_b/{number}",
        "attributedTo": ACTOR,
        "to": [PUBLIC],
        "sensitive": False,
        "content": content,
        "contentMap": {"en": content},
        "attachment": [],
        "tag": [],
    }
    return {**base, "type": "Create", "object": note}
