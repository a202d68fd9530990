"""The protocol of a learning curve: splits, anchors, preprocessing of nested training sets."""
