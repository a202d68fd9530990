"""A seeded campaign of faults: every fault of a registry on every command of another."""
