"""A process that answers questions, one at a time.

Lines of JSON come in, lines ``event JSON`` go out, until its input ends. An interrupt
(SIGINT) abandons the question at hand; between questions interrupts are held back and
forgotten.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from bayesbridge.errors import BayesBridgeError, caused_by_interrupt

if TYPE_CHECKING:
    from bayesbridge.web.memory import Memory


type Event = tuple[str, dict[str, Any]]

POSITION: Final = {"observer": "S", "hand": "AKQ2.KJ3.A54.Q32"}

EXAMPLES: Final[tuple[dict[str, Any], ...]] = (
    {"settings": POSITION, "evidence": [["void", "E:H"]]},
    {"settings": POSITION | {"players": "4"}, "evidence": [["call", "N:1NT"]]},
)
"""Questions that need all that most questions need."""

LONGEST_REFUSAL: Final = 300
"""Characters of an unforeseen error that a page is told."""


def work() -> None:
    """Answer questions until the input ends.

    An interrupt cancels the answer in work, and nothing else: it is blocked but while
    an answer lets it through.
    """
    # A shell in the background has interrupts ignored, which processes inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    out = os.fdopen(os.dup(1), "wb")
    # A stray print must not stand between two events.
    os.dup2(2, 1)
    from bayesbridge.web.memory import Memory

    memory = Memory()
    _warm_up(memory)
    _write(out, "ready", {"pid": os.getpid()})
    for line in iter(sys.stdin.buffer.readline, b""):
        _write(out, "end", {"why": _answer(line, memory, out)})


def _warm_up(memory: Memory) -> None:
    """Answer examples, so that modules, kernels, tables and networks are there."""
    for example in EXAMPLES:
        request = {"kind": "ask", "question": example | {"contract": "1NT by S"}}
        for event, _document in events(request, memory):
            if event == "contracts":
                # More draws come after it.
                break


def _answer(line: bytes, memory: Memory, out: BinaryIO) -> str:
    """Answer one question; ``done``, ``cancelled`` or ``failed``.

    Interrupts are let through while events are computed, but not while one is written:
    half of an event could not be read.
    """
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
        # A page has no options.
        return {"message": re.sub(r"--(?=[a-z])", "", str(error))}
    line = " ".join(str(error).split())
    return {"message": f"{type(error).__name__}: {line[:LONGEST_REFUSAL]}"}


def events(request: dict[str, Any], memory: Memory) -> Iterator[Event]:
    """The events of the answer to a request, by its kind."""
    from bayesbridge.web import answers, entries, questions

    kind = request["kind"]
    query = questions.read_question(request["question"])
    if kind == "ask":
        yield from answers.answers(query, memory)
    elif kind == "sharpen":
        yield from answers.sharpen(query.verify(), memory)
    elif kind == "values":
        yield from answers.call_values(query.verify())
    elif kind == "fact":
        yield kind, answers.fact_document(*request["fact"])
    elif kind == "entry":
        yield kind, entries.entry_document(query, request["name"], request["text"])
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
    """Write one line; where the reader is gone, so are we."""
    text = json.dumps(document, allow_nan=False, separators=(",", ":"))
    try:
        out.write(f"{event} {text}\n".encode())
        out.flush()
    except BrokenPipeError:
        os._exit(0)


@contextmanager
def _interrupts(let_through: bool) -> Iterator[None]:
    """Let interrupts through for a while, or hold them back.

    Those that came before they are let through are forgotten.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    if let_through:
        _forget_interrupts()
    how = signal.SIG_UNBLOCK if let_through else signal.SIG_BLOCK
    before = signal.pthread_sigmask(how, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _forget_interrupts() -> None:
    """Take away the interrupts that were held back."""
    if not hasattr(signal, "sigtimedwait"):
        return
    while signal.sigtimedwait({signal.SIGINT}, 0) is not None:
        pass
