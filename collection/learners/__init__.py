"""The learners: one registry, by the paper's names."""
