# What this room offers: read by the lazy loader, by type checkers and by editors.

from .build import as_printed as as_printed
from .build import best_known as best_known
from .build import build_ledger as build_ledger
from .build import count_known as count_known
from .build import ledger_at_hand as ledger_at_hand
from .build import load_published as load_published
from .papers import PAPERS as PAPERS
from .papers import TOLD as TOLD
from .papers import all_papers as all_papers
from .papers import calibrated as calibrated
from .papers import count_papers as count_papers
from .papers import reasons as reasons
