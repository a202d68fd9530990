# What this room offers: read by the lazy loader, by type checkers and by editors.

from .bootstrap import exact_if_few as exact_if_few
from .bootstrap import holm as holm
from .bootstrap import mean_interval as mean_interval
from .bootstrap import ratio_of_sums_interval as ratio_of_sums_interval
from .families import count_families as count_families
from .families import families as families
from .families import family_of as family_of
from .families import near_duplicates as near_duplicates
from .halves import chosen_elsewhere as chosen_elsewhere
from .halves import leaders as leaders
from .headlines import excluded as excluded
from .headlines import leader_if_fair as leader_if_fair
from .headlines import left_out as left_out
from .sign_flips import adjusted_p as adjusted_p
from .sign_flips import each_p as each_p
from .sign_flips import family_p as family_p
from .sign_flips import judge_claims as judge_claims
from .sign_flips import signed_rank_tests as signed_rank_tests
from .summary import Summary as Summary
from .summary import exact_share as exact_share
from .summary import family_share as family_share
from .summary import standard_error as standard_error
from .summary import summarise as summarise
from .summary import summarise_ratio as summarise_ratio
