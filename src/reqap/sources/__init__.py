"""Exports in, events out: one file per source, and what they share."""
