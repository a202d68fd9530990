"""What the chapter *ledger* alone computes."""
