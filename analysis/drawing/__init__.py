"""How figures look: style, one curve, dots with intervals."""
