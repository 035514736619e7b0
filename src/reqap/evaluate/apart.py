"""The questions of a life as a job that may run in another process, or on another machine.

Answers go to their file line by line, so that a job that dies goes on where it was; the whole file
is then handed back, for machines that share no disk. Not the job of this module: asking
(`answering`), and running jobs (`reqap.parallel`).
"""

import shutil
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

from reqap import parallel
from reqap.evaluate.answering import Job, answer_persona, claim


def apart(job: Job) -> parallel.Job:
    """The same job, to be run anywhere. Which way of answering it is, is said at once, here."""
    claim(job.out, job.settings)
    subject = replace(
        job.subject,
        exports=tuple(path.absolute() for path in job.subject.exports),
        gold=job.subject.gold.absolute() if job.subject.gold else None,
    )
    whole = replace(job, subject=subject, out=job.out.absolute(), stores=job.stores.absolute())
    asked = "\n".join(question.text for question in job.questions())
    made_of = blake2b(asked.encode("utf-8", "replace"), digest_size=12).hexdigest()
    return parallel.Job(job.subject.name, answer_apart, (whole,), whole.path, made_of)


def answer_apart(made: Path, job: Job) -> int:
    """Answers all questions of a life; how many there are."""
    shutil.copyfile(answer_persona(job), made)
    return len(job.questions())
