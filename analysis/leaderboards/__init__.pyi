# What this room offers: read by the lazy loader, by type checkers and by editors.

from .by_size import OrderBySize as OrderBySize
from .by_size import order_by_size as order_by_size
from .by_size import results_of_curves as results_of_curves
from .by_size import small_and_large as small_and_large
from .by_size_page import draw_by_size as draw_by_size
from .measures import normalize_among as normalize_among
from .measures import place_among as place_among
from .order_page import draw_order as draw_order
from .ordering import Order as Order
from .ordering import order as order
from .properties import correlate_properties as correlate_properties
from .properties import correlation_power as correlation_power
from .stability import claim_worth as claim_worth
from .stability import suite_stability as suite_stability
from .stability import task_ranks as task_ranks
from .studies import method_words as method_words
from .studies import order_studies as order_studies
from .studies import settle_claims as settle_claims
from .studies import shared_pairs as shared_pairs
from .studies import summarise_order as summarise_order
from .tables import classic_study as classic_study
from .tables import describe_studies as describe_studies
from .tables import known_sizes as known_sizes
from .tables import load_results as load_results
from .tables import shipped_studies as shipped_studies
