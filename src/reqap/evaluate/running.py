"""Jobs carried out one after the other, with somebody watching."""

from collections.abc import Sequence

from reqap.evaluate.answering import Job, answer_persona
from reqap.evaluate.report import progress_bar


def run_jobs(jobs: Sequence[Job]) -> None:
    """Every job; what was answered before is not asked again."""
    for job in jobs:
        with progress_bar(f"{job.subject.name}: {job.out.name}", len(job.left())) as done:
            answer_persona(job, done)
