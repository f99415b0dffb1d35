"""An estimator of one line: how many cards the pair holds in each suit."""

from bayesbridge.plugins import Output, hookimpl


class Fit:
    """How many cards the pair holds in each suit."""

    name = "fit"
    outputs = (
        Output("fit", "Cards of the pair in the suit.", dims=("suit",), dtype="int8"),
    )

    def estimate(self, layouts, question):
        """(n, 4) cards of the pair, clubs first, of n layouts."""
        return {"fit": layouts.lengths[:, list(question.pair)].sum(axis=1)}


@hookimpl
def bayesbridge_estimators():
    """The estimators of this package."""
    return [Fit()]
