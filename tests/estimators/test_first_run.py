"""The first run has a second process compile what every answer needs."""

import subprocess
from itertools import chain

import bayesbridge as bb
from bayesbridge.capture import kernels
from bayesbridge.engines import draws
from bayesbridge.estimators import first_run, network
from bayesbridge.estimators.first_run import compile_estimators, share_compiling
from bayesbridge.runtime.cache import source_name


def compiled_types():
    """The types that each kernel which is shared is compiled for."""
    modules = (kernels, network, draws)
    return {
        kernel.py_func.__name__: set(kernel.signatures)
        for kernel in chain.from_iterable(vars(module).values() for module in modules)
        if hasattr(kernel, "signatures")
    }


def test_a_second_process_is_started_on_the_first_run_alone(tmp_path, monkeypatch):
    started = []
    monkeypatch.setenv("BAYESBRIDGE_CACHE", str(tmp_path))
    monkeypatch.setattr(first_run.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(
        subprocess, "Popen", lambda command, **_: started.append(command)
    )
    share_compiling()
    assert started[0][1:] == ["-m", "bayesbridge.estimators.first_run"]
    share_compiling()
    assert len(started) == 1


def test_no_process_is_started_where_nothing_can_be_kept(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("BAYESBRIDGE_CACHE", str(tmp_path / "file"))
    monkeypatch.setattr(subprocess, "Popen", None)
    assert share_compiling() is None


def test_no_process_is_started_on_one_core(tmp_path, monkeypatch):
    monkeypatch.setenv("BAYESBRIDGE_CACHE", str(tmp_path))
    monkeypatch.setattr(first_run.os, "cpu_count", lambda: 1)
    monkeypatch.setattr(subprocess, "Popen", None)
    assert share_compiling() is None
    assert (tmp_path / source_name()).is_dir()


def test_an_answer_needs_the_kernels_as_the_second_process_compiles_them():
    compile_estimators()
    types = compiled_types()
    compiled = {name for name, signatures in types.items() if signatures}
    assert {"_fill_captures", "attend", "write_entry_layer", "add_and_norm"} <= compiled
    assert "_add" in compiled
    belief = bb.Belief("S", "AKQ2.KJ3.A54.Q32").given(bb.Auction.of("W:1H Pass Pass"))
    posterior = belief.infer(draws=200, rng=1)
    assert posterior.method == "importance"
    bb.estimate(posterior, ["capture", "tricks"], rng=1)
    answered = compiled_types()
    assert {name: answered[name] for name in compiled} == {
        name: types[name] for name in compiled
    }
