"""Who performs best (Appendix C)."""
