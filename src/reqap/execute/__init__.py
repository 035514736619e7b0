"""Plan → result and trace, over the store."""

from reqap.execute.doors import Extractor, Retriever
from reqap.execute.engine import Engine
from reqap.execute.results import Result
from reqap.execute.session import Limits
from reqap.execute.trace import Row, TraceNode

__all__ = ["Engine", "Extractor", "Limits", "Result", "Retriever", "Row", "TraceNode"]
