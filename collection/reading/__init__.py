"""What people's files say: names of columns, numbers as they are written, which way is better."""
