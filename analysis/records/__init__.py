"""Numbers that are kept: the papers' own, and ours that need curves not everyone has."""
