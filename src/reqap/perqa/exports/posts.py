"""Writes the posts: Instagram (with Meta's broken escapes) and the Mastodon archive."""

import html
import unicodedata
from pathlib import Path

from reqap.perqa.exports import pack
from reqap.perqa.exports.traces import Traces, digest
from reqap.perqa.texts import Observation

_PUBLIC = "https://www.w3.org/ns/activitystreams#Public"
_CONTEXT = "https://www.w3.org/ns/activitystreams"


def on_instagram(post: Observation) -> bool:
    """Where a post was posted: the longer ones rather on Mastodon."""
    return len(str(post.data["text"])) < 90


def write_instagram(traces: Traces, folder: Path) -> None:
    """`instagram-DAY.zip`."""
    posts = [_post(traces, one) for one in traces.of("social_media") if on_instagram(one)]
    posts.reverse()
    content = pack.to_json(posts, indent=2, ascii_only=True)
    members = {
        "your_instagram_activity/media/posts_1.json": content,
        "start_here.html": b"<html><body>Your Instagram information</body></html>\n",
    }
    pack.write_zip(folder / f"instagram-{traces.exported:%Y-%m-%d}.zip", members, traces.exported)


def _broken(text: str) -> str:
    """Meta writes UTF-8 bytes as if each were a Latin-1 character."""
    return text.encode("utf-8").decode("latin-1")


def _post(traces: Traces, one: Observation) -> dict[str, object]:
    """One picture carries its text itself; several leave it to the post above them."""
    text, stamp = str(one.data["text"]), int(traces.utc(one.start).timestamp())
    key = digest(stamp, text)
    pictures = 1 + int(key[:2], 16) % 3
    media: list[dict[str, object]] = [
        {
            "uri": f"media/posts/{one.start:%Y%m}/{int(key[2:16], 16) % 10**17}_n_{number}.jpg",
            "creation_timestamp": stamp - (pictures - 1 - number) * 2,
            "media_metadata": {"photo_metadata": {"exif_data": [{"device_id": "ios-phone"}]}},
            "title": _broken(text) if pictures == 1 else "",
            "cross_post_source": {"source_app": "FB"},
        }
        for number in range(pictures)
    ]
    if pictures == 1:
        return {"media": media}
    return {"media": media, "title": _broken(text), "creation_timestamp": stamp}


def write_mastodon(traces: Traces, folder: Path) -> None:
    """The folder `mastodon-archive`."""
    name = traces.persona.name
    plain = unicodedata.normalize("NFKD", name.casefold()).encode("ascii", "ignore").decode()
    handle = "_".join(plain.split())
    actor = f"https://social.example/users/{handle}"
    posts = [one for one in traces.of("social_media") if not on_instagram(one)]
    items = [_activity(traces, one, actor) for one in posts]
    outbox = {
        "@context": _CONTEXT,
        "id": "outbox.json",
        "type": "OrderedCollection",
        "totalItems": len(items),
        "orderedItems": items,
    }
    person = {
        "@context": _CONTEXT,
        "id": actor,
        "type": "Person",
        "preferredUsername": handle,
        "name": name,
        "published": "2016-11-06T00:00:00Z",
    }
    base = folder / "mastodon-archive"
    pack.write_file(base / "outbox.json", pack.to_json(outbox))
    pack.write_file(base / "actor.json", pack.to_json(person))


def _activity(traces: Traces, one: Observation, actor: str) -> dict[str, object]:
    moment = traces.utc(one.start)
    published = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    number = int(moment.timestamp() * 1000) << 16 | int(digest(one.data["text"])[:4], 16)
    parts = str(one.data["text"]).split("\n\n")
    paragraphs = "".join(f"<p>{html.escape(part, quote=False)}</p>" for part in parts)
    content = paragraphs.replace("\n", "<br />")
    note = {
        "id": f"{actor}/statuses/{number}",
        "type": "Note",
        "summary": None,
        "inReplyTo": None,
        "published": published,
        "url": f"{actor.replace('users/', '@')}/{number}",
        "attributedTo": actor,
        "to": [_PUBLIC],
        "sensitive": False,
        "content": content,
        "contentMap": {"en": content},
        "attachment": [],
        "tag": [],
    }
    return {
        "id": f"{actor}/statuses/{number}/activity",
        "actor": actor,
        "published": published,
        "to": [_PUBLIC],
        "cc": [f"{actor}/followers"],
        "type": "Create",
        "object": note,
    }
