"""What can go wrong with OpenML's server, each in one clear message of ours."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from xml.parsers.expat import ExpatError

import minio.error
import openml
import requests
import urllib3
from openml import exceptions as oml

from collection.datasets.dataset import DatasetError

# The first row whose types fit says what went wrong.
MEANINGS = (
    ((oml.OpenMLHashException,),
     "the file that came does not have the checksum that the server states",
     "Try again; if that does not help, the server's copy is damaged"),
    ((oml.OpenMLPrivateDatasetError, oml.OpenMLNotAuthorizedError),
     "the server keeps it private", "Set your API key in OpenML's configuration"),
    ((oml.OpenMLServerException,),
     "the server refused", "Check the number or name on the server's pages"),
    ((oml.OpenMLServerError,),
     "the server failed", "Try again later"),
    ((requests.exceptions.ChunkedEncodingError, requests.exceptions.ContentDecodingError,
      urllib3.exceptions.ProtocolError, urllib3.exceptions.DecodeError),
     "the connection broke before the whole file had come", "Try again"),
    ((requests.exceptions.ReadTimeout,),
     "the server has fallen silent", "Try again later"),
    ((requests.exceptions.RequestException, urllib3.exceptions.HTTPError),
     "the server cannot be reached",
     "Check the connection; what was loaded before can be read without it"),
    ((oml.PyOpenMLError, minio.error.MinioException, ExpatError, KeyError, TypeError,
      ValueError, NotImplementedError),
     "the answer of the server is not what OpenML sends",
     "Try again later; a proxy may have answered in its place"),
)
KINDS = tuple(kind for kinds, _, _ in MEANINGS for kind in kinds)


@contextmanager
def explained(source: str) -> Iterator[None]:
    """Turn what the ``openml`` package and its libraries raise into `DatasetError`.

    Parameters
    ----------
    source : str
        The spec that was asked for.
    """
    try:
        yield
    except KINDS as error:
        if isinstance(error, DatasetError):
            raise
        _, what, advice = next(m for m in MEANINGS if isinstance(error, m[0]))
        raise DatasetError(f"{source}: {what} ({openml.config.server}: {_shortly(error)}). "
                           f"Nothing was kept. {advice}.") from error


def _shortly(error: Exception) -> str:
    """Return the error's text without the pages of HTML that a failing server may send."""
    text = str(error)
    if status := re.search(r"Status code: (\d+)", text):
        return f"HTTP status {status[1]}"
    line = " ".join(text.split())
    return f"{type(error).__name__}: {line[:200]}{'…' if len(line) > 200 else ''}"
