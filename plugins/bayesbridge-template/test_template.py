from bayesbridge_template import Fit

from bayesbridge import Layouts
from bayesbridge.plugins import Question, check_estimator


def test_fit():
    check_estimator(Fit())
    batch = Layouts.of(
        ["N:AKQ2.KJ3.A54.Q32 J3.T92.KQJ9.KT98 9865.54.T87.AJ54 T74.AQ876.632.76"]
    )
    assert Fit().estimate(batch, Question.of("S:N"))["fit"].tolist() == [[7, 6, 5, 8]]
