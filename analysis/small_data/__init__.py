"""Small data: the paper PMLBmini's suite, what methods reach on it, and what its claims rest on."""
