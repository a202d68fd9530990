"""What the book found, in five minutes: facts of its chapters, each finding with a figure."""

from functools import partial

from chapters.chapter import Chapter
from chapters.cited import FINDINGS, cite, draw_finding

FACTS = tuple(fact for finding in FINDINGS for fact in finding.facts)

chapter = Chapter(
    "findings", partial(cite, FACTS), lambda table: {"findings": table},
    lambda table: table.drop(columns=["chapter", "own_key"]),
    charts={finding.name: partial(draw_finding, finding) for finding in FINDINGS})
