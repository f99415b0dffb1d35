"""A process that answers questions, one at a time: lines of JSON in, lines ``event
JSON`` out, until its input ends.

An interrupt (SIGINT) abandons the question at hand; between questions interrupts are
held back and forgotten.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from bayesbridge.errors import BayesBridgeError, caused_by_interrupt


def work() -> None:
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # a shell in the background has it ignored
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a stray print must not stand between two events
    from bayesbridge.web.answers import Memory

    memory = Memory()
    # Two answers before the first question, so that modules, kernels, tables and networks are there.
    settings = {"observer": "S", "hand": "AKQ2.KJ3.A54.Q32"}
    for more, evidence in (
        ({}, [["void", "E:H"]]),
        ({"players": "4"}, [["call", "N:1NT"]]),
    ):
        example = {
            "settings": settings | more,
            "evidence": evidence,
            "contract": "1NT by S",
        }
        for event, _ in events({"kind": "ask", "question": example}, memory):
            if event == "contracts":  # more draws come after it
                break
    _write(out, "ready", {"pid": os.getpid()})
    while line := sys.stdin.buffer.readline():
        _write(out, "end", {"why": _serve(line, memory, out)})


def _serve(line: bytes, memory: Any, out: BinaryIO) -> str:
    """Answer one question; ``done``, ``cancelled`` or ``failed``."""
    try:
        with _interrupts(let_through=True):
            for event, document in events(json.loads(line), memory):
                with _interrupts(let_through=False):
                    _write(out, event, document)
        return "done"
    except (Exception, KeyboardInterrupt) as error:
        if caused_by_interrupt(error):
            return "cancelled"
        _write(out, "refused", refusal(error))
    return "failed"


def refusal(error: BaseException) -> dict[str, str]:
    """What a page is told of an error, in one line."""
    if isinstance(error, BayesBridgeError):
        return {
            "message": re.sub(r"--(?=[a-z])", "", str(error))
        }  # a page has no options
    return {"message": f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"}


def events(
    request: dict[str, Any], memory: Any
) -> Iterator[tuple[str, dict[str, Any]]]:
    from bayesbridge.web import answers

    kind = request["kind"]
    query = answers.read_question(request["question"])
    if kind == "ask":
        yield from answers.answers(query, memory)
    elif kind == "sharpen":
        yield from answers.sharpen(query.verify(), memory)
    elif kind == "values":
        yield from answers.call_values(query.verify())
    elif kind == "fact":
        yield kind, answers.fact_document(*request["fact"])
    elif kind == "entry":
        yield kind, answers.entry_document(query, request["name"], request["text"])
    elif kind == "review":
        yield from answers.review_events(
            query, request["name"], request["text"], request["board"]
        )
    elif kind == "layouts":
        yield kind, answers.layouts_document(query.verify(), memory)
    elif kind == "toml":
        yield kind, {"text": query.verify().position.toml()}
    else:
        yield kind, {"text": answers.report_text(query.verify(), memory)}


def _write(out: BinaryIO, event: str, document: dict[str, Any]) -> None:
    """One line; the reader may be gone, and then so are we."""
    try:
        out.write(
            f"{event} {json.dumps(document, allow_nan=False, separators=(',', ':'))}\n".encode()
        )
        out.flush()
    except BrokenPipeError:
        os._exit(0)


@contextmanager
def _interrupts(let_through: bool) -> Iterator[None]:
    """Let interrupts through for a while, those that came before forgotten, or hold
    them back.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    while (
        let_through
        and hasattr(signal, "sigtimedwait")
        and signal.sigtimedwait({signal.SIGINT}, 0) is not None
    ):
        pass
    before = signal.pthread_sigmask(
        signal.SIG_UNBLOCK if let_through else signal.SIG_BLOCK, {signal.SIGINT}
    )
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
