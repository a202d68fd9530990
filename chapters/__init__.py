"""What the chapters compute: tables, figures, facts; what several of them need is in `lab`."""
