"""How often verdicts err on curves whose truth is known, and what follows for real ones."""
