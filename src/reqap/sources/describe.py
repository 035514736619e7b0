"""What every source says of itself: the page for people who want to know what they can import."""

import inspect
import textwrap

from reqap.sources.base import Source
from reqap.sources.registry import all_sources


def about(source: Source) -> str:
    """The docstring of the module that holds the source: how to get the export, what is taken."""
    module = inspect.getmodule(source.sniff)
    return inspect.cleandoc(module.__doc__ or "") if module else ""


def sources_page() -> str:
    """All sources in Markdown; docs/sources.md is this text."""
    intro = """
        # What can be imported

        `reqap import` recognises these exports by their content, in folders and zips as they came.
        This page is made from the sources themselves: `reqap sources --formats` prints it.
        """
    parts = [inspect.cleandoc(intro)]
    for source in sorted(all_sources(), key=lambda source: source.title.lower()):
        first, _, rest = about(source).partition("\n")
        parts.append(f"## {source.title}\n\n`{source.name}` · {first}\n{textwrap.dedent(rest)}")
    own = "## Your own files\n\nAny CSV or JSON through a [mapping file](mapping.md)."
    return "\n\n".join([*parts, own]) + "\n"
