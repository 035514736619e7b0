"""Which of some texts are most like another one, by their words (BM25)."""

from collections.abc import Sequence

import bm25s


class Nearest:
    """Texts that can be looked up by likeness."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._count = len(texts)
        self._index = bm25s.BM25()
        self._index.index([_words(text) for text in texts], show_progress=False)

    def order(self, text: str) -> list[int]:
        """The numbers of all texts, the most alike first."""
        scores = self._index.get_scores(_words(text))
        return sorted(range(self._count), key=lambda n: -float(scores[n]))


def _words(text: str) -> list[str]:
    return text.casefold().replace("?", " ").split()
