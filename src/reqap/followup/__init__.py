"""A short line after a question ("and in 2022?") → the full question that is meant.

Words only: no model, no data. Not the job of this package: understanding questions (`qud`).
"""

from reqap.followup.rewrite import HANGS, follow_up, hangs_on_answer

__all__ = ["HANGS", "follow_up", "hangs_on_answer"]
