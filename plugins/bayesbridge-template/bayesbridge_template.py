"""An estimator of one line: how many cards the pair holds in each suit."""

from bayesbridge.plugins import Output, hookimpl


class Fit:
    name = "fit"
    outputs = (
        Output("fit", "Cards of the pair in the suit.", dims=("suit",), dtype="int8"),
    )

    def estimate(self, layouts, question):
        return {"fit": layouts.lengths[:, list(question.pair)].sum(axis=1)}


@hookimpl
def bayesbridge_estimators():
    return [Fit()]
