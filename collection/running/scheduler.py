"""How long a Dask scheduler may take to answer, and what is said where it does not."""

CONNECT = 30.0  # seconds


def unreachable(address: str, error: Exception) -> ConnectionError:
    """Return what to raise where no scheduler answers at `address`."""
    return ConnectionError(f"No Dask scheduler answers at {address}: {error}. Start one (dask "
                           "scheduler), or correct the address.")
