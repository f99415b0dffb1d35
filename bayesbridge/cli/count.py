"""``bayesbridge count``: how many layouts fit what was seen."""

from __future__ import annotations

from argparse import Namespace
from math import log2

from bayesbridge.cli.options import Subparsers, add_command, add_evidence, position_of
from bayesbridge.cli.screens import add_show, examples, print_evidence, print_examples, print_json, say
from bayesbridge.views.documents import evidence_document
from bayesbridge.words import number


def add(commands: Subparsers) -> None:
    """Put the command on the command line."""
    parser = add_command(
        commands,
        "count",
        "how many layouts of the hidden cards fit what was seen",
        run,
        "bayesbridge count --observer S --hand AKQ2.KJ3.A54.Q32 --void E:H --length W:S:5+",
    )
    add_show(parser)
    add_evidence(parser)


def run(args: Namespace) -> int:
    """Count and print."""
    position = position_of(args)
    belief = position.belief()
    with position.blaming():
        layouts = belief.count()
    posterior = None if args.show is None else belief.infer(rng=args.seed)
    shown = {} if posterior is None else examples(posterior, args)
    if args.json:
        print_json({"layouts": str(layouts), "entropy_bits": log2(layouts), **evidence_document(belief), **shown})
        return 0
    print_evidence(belief)
    say(f"{number(layouts)} {'layout fits' if layouts == 1 else 'layouts fit'}: {log2(layouts):.2f} bits.")
    if belief.auction is not None:
        say("Calls make layouts more or less likely; they rule none out and do not change the count.")
    if posterior is not None:
        print_examples(posterior, args)
    return 0
