"""What the chapters of the book share: tables, figures of the protocol, whether data suffice."""
