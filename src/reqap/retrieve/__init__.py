"""RETRIEVE by words: all events that match a query, without a model.

Learned retrievers come in by the same door: a `retrieve` method that gives the same table.
"""

from reqap.retrieve.search import WordRetriever

__all__ = ["WordRetriever"]
