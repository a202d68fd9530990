"""What feature scaling and leakage do to curves (DA2, Appendix B)."""
