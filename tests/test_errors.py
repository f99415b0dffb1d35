"""Errors are all in the reference; an interrupt inside an error stays an interrupt."""

import ast
from pathlib import Path

import pytest

import bayesbridge
from bayesbridge.cli import main
from tests.test_reference import PAGE


def test_an_interrupt_wrapped_in_another_error_is_still_an_interrupt(
    monkeypatch, capsys
):
    """As a compiler may do that is interrupted in the middle of its work."""

    def interrupted(_):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            raise SystemError("a result with an exception set") from error

    monkeypatch.setattr("bayesbridge.cli.bid.run", interrupted)
    assert main(["bid", "AKQ2.KJ3.A54.Q32"]) == 130
    assert capsys.readouterr().err == "bayesbridge: interrupted\n"


@pytest.mark.quick
def test_every_error_is_in_the_reference():
    source = ast.parse(
        (Path(bayesbridge.__file__).parent / "errors.py").read_text("utf-8")
    )
    errors = [node.name for node in source.body if isinstance(node, ast.ClassDef)]
    assert [name for name in errors if name not in PAGE] == []
