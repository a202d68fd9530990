"""The official LCDB 1.1: fetch its files, open them, and open the means its site serves."""
