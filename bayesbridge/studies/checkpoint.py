"""A study's memory on disk: one JSON line for each finished chunk, only ever appended.

The first line says which run the file belongs to and which code counts in it. Each further line has the number of a
chunk, those of its counts that are not zero, and a checksum that covers the line and, through its start value, the
first line too. A line is on the disk (flushed and synchronised) before the next chunk is taken in, so a run killed at
any moment loses only chunks in the making. A last line without its end is such a loss and is cut off; any other damage
is refused, untouched.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, Self

from bayesbridge.errors import BayesBridgeError, Unwritable

WRITTEN_BY: Final = "bayesbridge"
"""Entry of the first line: the version that began the file. It is told, not compared: the same code counts the same."""

CODE: Final = "code"
"""Entry of the first line: the hash of the code that counts."""

type Cells = dict[int, int]
"""Place → count, where it is not zero."""


class CheckpointError(BayesBridgeError):
    """A checkpoint that this run cannot use; the file is left as it was."""


class Checkpoint:
    """An open checkpoint file, locked against a second run; a context manager."""

    def __init__(self, path: Path, header: Mapping[str, Any], chunks: int, cells: int) -> None:
        self.path = path
        self._header = _line(header, 0)
        self._crc = zlib.crc32(self._header)
        self._chunks, self._cells = chunks, cells
        self._file: BinaryIO

    @classmethod
    def create(cls, path: Path, header: Mapping[str, Any], chunks: int, cells: int) -> Self:
        """Begin a new file; one that exists is never overwritten."""
        found = cls(path, header, chunks, cells)
        found._open(os.O_CREAT | os.O_EXCL)
        found._append(found._header)
        return found

    @classmethod
    def resume(
        cls, path: Path, header: Mapping[str, Any], chunks: int, cells: int, merge: Callable[[int, Cells], None]
    ) -> Self:
        """Continue a file, handing each finished chunk to ``merge``; a file that is not there yet is begun."""
        if not path.exists():
            return cls.create(path, header, chunks, cells)
        found = cls(path, header, chunks, cells)
        found._open(0)
        try:
            end = found._read(json.loads(found._header), merge)
        except BaseException:
            found._file.close()
            raise
        found._file.truncate(end)
        found._file.seek(end)
        if not end:
            found._append(found._header)
        return found

    def append(self, chunk: int, cells: Cells) -> None:
        """Keep a finished chunk; on return it is on the disk."""
        self._append(_line({"chunk": chunk, "cells": cells}, self._crc))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    def _open(self, flags: int) -> None:
        try:
            handle = os.open(self.path, os.O_RDWR | flags, 0o666)
        except FileExistsError:
            raise CheckpointError(
                f"checkpoint {str(self.path)!r} exists already: continue it with --resume, or name another file",
                path=self.path,
            ) from None
        except OSError as error:
            raise CheckpointError(
                f"checkpoint {str(self.path)!r} cannot be opened ({error.strerror}): name another file", path=self.path
            ) from None
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise CheckpointError(
                f"checkpoint {str(self.path)!r} is a device or a pipe, which keeps nothing: name a file", path=self.path
            )
        self._file = os.fdopen(handle, "r+b")
        try:
            _lock(self._file)
        except OSError:
            self._file.close()
            raise CheckpointError(
                f"checkpoint {str(self.path)!r} is in use by another run: wait for it, or name another file",
                path=self.path,
            ) from None

    def _append(self, line: bytes) -> None:
        try:
            self._file.write(line)
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            with contextlib.suppress(OSError):
                self._file.close()
            raise Unwritable(
                f"checkpoint {str(self.path)!r} cannot be written ({error.strerror}): what it holds is good; "
                "make room and continue with --resume",
                path=self.path,
            ) from None

    def _read(self, header: dict[str, Any], merge: Callable[[int, Cells], None]) -> int:
        """Check the whole file; returns where its last whole line ends."""
        first = self._file.readline()
        if not first.endswith(b"\n"):
            if self._header.startswith(first):
                return 0
            raise self._foreign()
        if first != self._header:
            self._compare(first, header)
        end, number, seen = len(first), 1, set[int]()
        while (line := self._file.readline()).endswith(b"\n"):
            number += 1
            chunk, cells = self._parse(line, number)
            if chunk in seen:
                raise self._damaged(number, f"chunk {chunk} stands there twice")
            seen.add(chunk)
            merge(chunk, cells)
            end += len(line)
        return end

    def _compare(self, first: bytes, header: dict[str, Any]) -> None:
        """Say how the first line differs from the one that this run would write; another version alone is no matter."""
        try:
            theirs = json.loads(first)
            crc = theirs.pop("crc")
            whole = first == _line(theirs, 0)
        except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
            raise self._foreign() from None
        if not whole or not isinstance(crc, str):
            raise self._damaged(1, "its checksum is wrong")
        header.pop("crc")
        different = [key for key in {**header, **theirs} if header.get(key) != theirs.get(key)]
        if different == [WRITTEN_BY]:
            self._crc = zlib.crc32(first)
            return
        for key in different:
            if key == CODE:
                raise CheckpointError(
                    f"checkpoint {str(self.path)!r} was written by other code (bayesbridge {theirs.get(WRITTEN_BY)}, "
                    f"code {theirs.get(CODE)}; here {header.get(WRITTEN_BY)}, {header.get(CODE)}), which may count "
                    "otherwise: continue it with the code that began it, or name another file",
                    path=self.path,
                    key=key,
                )
            if key != WRITTEN_BY:
                raise CheckpointError(
                    f"checkpoint {str(self.path)!r} belongs to another run: {key} is {_shown(theirs.get(key))} there "
                    f"and {_shown(header.get(key))} here; give the same options, or name another file",
                    path=self.path,
                    key=key,
                )
        raise self._damaged(1, "it is not as it was written")

    def _parse(self, line: bytes, number: int) -> tuple[int, Cells]:
        try:
            entry = json.loads(line)
            entry.pop("crc")
            if line != _line(entry, self._crc):
                raise self._damaged(number, "its checksum is wrong")
            chunk, cells = entry["chunk"], {int(place): count for place, count in entry["cells"].items()}
        except (ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
            if isinstance(error, CheckpointError):
                raise
            raise self._damaged(number, "it cannot be read") from None
        if not 0 <= chunk < self._chunks or not all(0 <= place < self._cells for place in cells):
            raise self._damaged(number, "it does not fit the run")
        return chunk, cells

    def _foreign(self) -> CheckpointError:
        return CheckpointError(
            f"{str(self.path)!r} is not a checkpoint of a study: it is left as it is; name another file", path=self.path
        )

    def _damaged(self, number: int, what: str) -> CheckpointError:
        return CheckpointError(
            f"checkpoint {str(self.path)!r} is damaged in line {number}, {what}: it is left as it is; "
            "name another file to begin anew",
            path=self.path,
            line=number,
        )


def _line(entry: Mapping[str, Any], start: int) -> bytes:
    body = json.dumps(entry)
    return f'{body[:-1]}, "crc": "{zlib.crc32(body.encode(), start):08x}"}}\n'.encode()


def _shown(value: object) -> str:
    return "missing" if value is None else json.dumps(value)


def _lock(file: BinaryIO) -> None:
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
