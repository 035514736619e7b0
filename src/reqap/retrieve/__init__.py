"""RETRIEVE: all events that match a query, and which of them are one happening.

`LearnedRetriever` has trained models; `WordRetriever` stands in where they are not installed. Both
come in by the same door: a `retrieve` method that gives the same table.
"""

from reqap.retrieve.learned import LearnedRetriever
from reqap.retrieve.search import WordRetriever

__all__ = ["LearnedRetriever", "WordRetriever"]
