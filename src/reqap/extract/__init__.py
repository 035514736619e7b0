"""EXTRACT: a typed value for every event and asked key, by key mapping and by reading texts."""

from reqap.extract.extractor import PatternExtractor
from reqap.extract.learned import LearnedExtractor

__all__ = ["LearnedExtractor", "PatternExtractor"]
