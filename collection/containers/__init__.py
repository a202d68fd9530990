"""What results come in: the labelled containers, the names of learners, the metrics."""
