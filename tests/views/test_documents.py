"""Answers as documents: contracts are named by tricks alone."""

import bayesbridge as bb
from bayesbridge.estimators.answer import Answer
from bayesbridge.estimators.evaluate import ask, evaluate
from bayesbridge.views.documents import estimate_document


def test_the_document_names_contracts_by_tricks_alone():
    posterior = bb.Belief("S", "AKQ2.KJ3.A54.Q32", trump="H").infer(draws=50, rng=1)
    registry = bb.estimators.registry.load(installed=False)
    evaluation = evaluate(
        posterior,
        [registry.estimator(name) for name in ("capture", "tricks")],
        ask(posterior),
    )
    document = estimate_document(evaluation, Answer.of(evaluation))
    captured = document["estimators"]["capture"]["T"]
    won = document["estimators"]["tricks"]["tricks"]
    assert (document["trump"], captured["at_table"], won["at_table"]) == (
        "H",
        False,
        True,
    )
    assert "makes" not in captured
    assert list(won["makes"]) == [f"{level}H" for level in range(1, 8)]
    assert list(won["makes"].values()) == list(won["at_least"].values())
