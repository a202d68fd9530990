"""What is not at hand: data that not everyone has, as against a file that is missing."""


class NotAtHandError(FileNotFoundError):
    """Data that have to be fetched are not here; the message says how to get them.

    Only this stands for "not at hand": any other missing file is a fault, and no reason to show
    a kept result in its place.
    """
