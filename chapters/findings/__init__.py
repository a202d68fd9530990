"""What the book found, in five minutes: facts of its chapters, each finding with a figure."""

from functools import partial

from chapters.chapter import Chapter
from chapters.cited import FINDINGS, draw_finding, findings_facts

chapter = Chapter(
    "findings", findings_facts, lambda table: {"findings": table},
    lambda table: table.drop(columns=["chapter", "own_key"]),
    charts={finding.name: partial(draw_finding, finding) for finding in FINDINGS})
