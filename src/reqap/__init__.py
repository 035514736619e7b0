"""ReQAP: questions about one's own life, answered from one's own data exports.

The names here are what plug-ins and scripts build on; everything else may change.
"""

from reqap.errors import ExportProblem, ReqapError
from reqap.events import Clock, Event, ImportIssue, Origin, Retraction, event_id

__all__ = [
    "Clock",
    "Event",
    "ExportProblem",
    "ImportIssue",
    "Origin",
    "ReqapError",
    "Retraction",
    "event_id",
]
