"""EXTRACT: a typed value for every event and asked key, by key mapping and regular patterns."""

from reqap.extract.extractor import PatternExtractor

__all__ = ["PatternExtractor"]
