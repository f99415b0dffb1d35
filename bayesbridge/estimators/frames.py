"""What an isolated process sends back: frames of plain data.

A frame is a header, one JSON object and raw bytes of arrays. The header has the number of the request that it answers,
the length of the rest and a checksum of it. So an answer that comes twice, that belongs to another request, that is
mixed with another one or that is no answer at all is found out, and reading one cannot run code.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable
from typing import Any, BinaryIO, Final

_HEADER: Final = struct.Struct("<4sQQI")
_MAGIC: Final = b"bbA1"

HEAD_ROOM: Final = 1 << 24
"""Bytes that the JSON object of a frame may take."""


class Garbled(Exception):
    """Something else than the one answer to the request; the message says what, as in "the plugin …"."""


def pack(number: int, head: dict[str, Any], raw: Iterable[bytes] = ()) -> bytes:
    """The frame that answers a request.

    >>> import io
    >>> read(io.BytesIO(pack(7, {"kind": "answer"}, [b"ab", b"c"])), 7, 3)
    ({'kind': 'answer'}, b'abc')
    """
    body = b"\n".join([json.dumps(head).encode("ascii"), b"".join(raw)])
    return _HEADER.pack(_MAGIC, number, len(body), zlib.crc32(body)) + body


def read(stream: BinaryIO, number: int, most: int) -> tuple[dict[str, Any], bytes]:
    """The JSON object and the bytes that answer request ``number``, at most ``most`` of them.

    Raises :class:`Garbled`, or :class:`EOFError` where the stream ends.
    """
    magic, found, length, check = _HEADER.unpack(_exactly(stream, _HEADER.size))
    if magic != _MAGIC:
        raise Garbled("wrote something else into its line of answers")
    if found != number:
        raise Garbled(f"answered request {found} again when request {number} was due")
    if length > HEAD_ROOM + most:
        raise Garbled(f"gave an answer of {length} bytes where at most {HEAD_ROOM + most} are expected")
    body = _exactly(stream, length)
    if zlib.crc32(body) != check:
        raise Garbled("gave an answer that is mixed with something else")
    text, _, raw = body.partition(b"\n")
    try:
        head = json.loads(text)
    except (ValueError, RecursionError):
        raise Garbled("gave an answer that cannot be read") from None
    if not isinstance(head, dict) or head.get("kind") not in ("answer", "failed", "memory", "stray"):
        raise Garbled("gave an answer that cannot be read")
    if head["kind"] == "stray":
        raise Garbled("came back twice from one request: a process that it forks must end by itself")
    return head, raw


def _exactly(stream: BinaryIO, length: int) -> bytes:
    found = stream.read(length)
    if len(found) < length:
        raise EOFError
    return found
