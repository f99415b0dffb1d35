"""Which contract should I bid with this hand? python examples/which_contract_should_i_bid.py [HAND]

South looks at 13 cards; North's are dummy's and unknown. T by Algorithm 2 is counted exactly over all
84 478 098 072 866 400 layouts; points come from 20 000 of them played out trick by trick.
"""

import sys

import bayesbridge as bb
from bayesbridge.scoring import NEW


def main(hand: str = "AKQ2.KJ3.A54.Q32") -> None:
    """One line per level: captures by the paper's rule, tricks of the play-out, and what the bid is worth."""
    posterior = bb.Belief("S", hand).infer(rng=1)
    pmf = bb.estimate(posterior, ["capture", "play_out"])["pmf"]
    print(f"{hand}: T fails a condition with {pmf['T'].sel(T_value=0).item():.1%}, exactly.")
    print("bid   T is enough   play-out makes it   mean points")
    for level in range(1, 8):
        contract = bb.Contract(level, bb.Strain.NT, bb.Seat.S)
        chances = [
            pmf[name].where(pmf[f"{name}_value"] >= contract.tricks_needed, 0).sum().item() for name in ("T", "tricks")
        ]
        points = 0.0
        for tricks, chance in zip(pmf["tricks_value"].values, pmf["tricks"].values, strict=True):
            points += chance * float(NEW.score(contract, int(tricks)).net)
        print(f"{level}NT   {chances[0]:11.1%}   {chances[1]:17.1%}   {points:11.1f}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
