"""Fit the learned bidder, P(call ∣ own hand, partner's hand, auction so far).

    python scripts/fit_auction_model.py records.pbn.gz -o bayesbridge/bidders/data/auction.npz

Every network reads the auction by a transformer that sees no hand, and has two readings
of a call: partner's hand hidden, P(call ∣ own hand, auction), and partner's hand shown.
Partners know what their calls mean and a reader of the bare auction does not: partner's
hand is the best witness of it. Two are fitted and ship: a wide one, whose word counts,
and a narrow one, which guides the draws.

Four teachers are fitted first, from the records alone, and kept beside the output
(``--teachers`` takes them from there; ``--teach`` fits one, so that several can be
fitted side by side). Each knows the records by heart after ten passes; their mean is
0.01 nats a call better than each of them. The wide one learns from the records and from
their mean probabilities of all calls, the narrow one from the records and from the wide
one's.

What two hands are worth together is a vector of its own, the sum of what each brings
and two layers upon it: the tricks that the pair can take must be read off it (those
that the estimator ``tricks`` expects in the deal), since calls alone, few of them of
slams, teach it slowly.

The wide one is fitted together with a style for each pair of players that the records
name: 16 numbers that are added to what the reader is told of the pair's calls and to
what the hidden layer is told, with a normal prior, so that a pair of ten tables stays
near the others. Nearly two thirds of the time a pair is hidden, so that the networks also know
how to read a pair they know nothing of. Networks that listen to others learn styles
late, so at last the styles alone are fitted to the records (``--styles``: nothing else,
to the networks of ``--start``): what is said of unknown pairs stays as it is. Then the
numbers are rescaled so that the pairs have mean 0 and variance 1, and the styles that
ship by name are learned from tables of pairs whose openings on record tell what they
play. Pairs are set aside by a hash of their name, all their tables with them, to judge
by how well the style of a pair is learned from a few of its tables.

Deals are set aside by a hash of their cards (``table_arrays.py``, whose output this
script reads as well). The cards from the two to the eight count as cards and are not
told apart: by them a network would know deals by heart. All fits run for a stated time,
since the rate of learning falls with the time that is left. ``--share 0.25`` fits on a
quarter of the deals, for a learning curve.

Needs PyTorch (``pip install torch``), which bayesbridge does not; a GPU makes it
minutes instead of days.
"""

from __future__ import annotations

import argparse
import json
from ast import literal_eval
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from auction_batches import Auctions, batch_of, prepare
from auction_network import (
    BOTH_HIDDEN,
    Bidder,
    Lessons,
    Sizes,
    Styles,
    Teacher,
    hide_at_random,
    lessons_of,
    loss_of,
)
from auction_styles import named_styles, rescale
from auction_verdicts import judge, new_pairs, verdicts
from reading_networks import (
    Schedule,
    parameters_of,
    round_weights,
    suit_features,
    train,
)
from table_arrays import HELD_OUT, TRAIN, VALIDATE, Tables, pairs_aside, read
from torch import Tensor, nn

LONGEST = (10, 16, 32)
"""Auctions of up to so many calls share a shape.

Longer ones, one in three thousand, are not learned from.
"""

SMALL_CARDS = 7
"""The cards of a suit that are not told apart, from the two on."""

TEACHERS = 4
GUIDE_DROPOUT = 0.02
WIDE_SHARE = 0.8
GUIDE_SHARE = 0.2
"""Of the time in which the styles alone are fitted."""

VALIDATION_TABLES = 8000
"""About so many are judged while a network learns."""


def options_of_command() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "records",
        type=Path,
        help="PBN or LIN file, may be .gz, or what table_arrays.py made of it",
    )
    parser.add_argument("-o", "--output", type=Path, default=Path("auction.npz"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--seconds",
        type=float,
        nargs=4,
        default=[150, 295, 115, 100],
        help="for a teacher, wide, guide and styles",
    )
    parser.add_argument(
        "--teachers",
        type=Path,
        nargs="*",
        default=[],
        help="files to listen to (default: fit four)",
    )
    parser.add_argument(
        "--teach",
        action="store_true",
        help="fit one teacher, by this seed, and nothing else",
    )
    parser.add_argument("--start", type=Path, help="a file whose networks go on from")
    parser.add_argument(
        "--styles",
        action="store_true",
        help="fit the styles alone, to the networks of --start",
    )
    parser.add_argument(
        "--listen", type=float, default=0.9, help="weight of another network's word"
    )
    parser.add_argument(
        "--rate", type=float, default=1.3e-3, help="highest learning rate"
    )
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--tables", type=int, default=768, help="in a step")
    parser.add_argument("--decay", type=float, default=0.05, help="of the weights")
    default_sizes = {
        "wide": [320, 4, 448, 576, 160],
        "guide": [128, 3, 144, 192, 64],
    }
    for name, sizes in default_sizes.items():
        parser.add_argument(
            f"--{name}",
            type=int,
            nargs=5,
            default=sizes,
            help="reader, layers; hand, mixed, pair units",
        )
    parser.add_argument(
        "--share", type=float, default=1.0, help="of the deals to learn from"
    )
    parser.add_argument(
        "--named",
        type=int,
        default=2000,
        help="tables from which each of the named styles is learned",
    )
    return parser.parse_args()


@dataclass(frozen=True)
class Split:
    """The tables, and what each is for."""

    tables: Tables
    auctions: Auctions
    """Of all tables, in which pairs that are set aside have no name."""
    is_aside: np.ndarray
    """(pairs,) whether the pair is set aside."""
    training: np.ndarray
    """Rows of the tables to learn from."""
    validation: np.ndarray
    """Those to choose by."""
    held_out: np.ndarray
    """Those to judge by."""
    tables_of_pair: np.ndarray
    """(pairs,) how many tables of each pair are learned from."""

    @classmethod
    def of(
        cls,
        tables: Tables,
        share: float,
        rng: np.random.Generator,
        device: torch.device,
    ) -> Split:
        """By the split of the deals; ``share`` of those to learn from are taken."""
        split = tables.split[tables.deal]
        is_aside = pairs_aside(tables.names)
        has_pair_aside = is_aside[tables.pair] & (tables.pair >= 0)
        pair = np.where(has_pair_aside, -1, tables.pair)
        auctions = prepare(tables._replace(pair=pair), device)
        is_deal_taken = rng.random(len(tables.masks)) < share
        is_taken = is_deal_taken[tables.deal] & ~has_pair_aside.any(axis=1)
        is_training = (split == TRAIN) & is_taken
        training = np.flatnonzero(is_training)
        named_pairs = tables.pair[training]
        named_pairs = named_pairs[named_pairs >= 0]
        return cls(
            tables=tables,
            auctions=auctions,
            is_aside=is_aside,
            training=training,
            validation=np.flatnonzero(split == VALIDATE),
            held_out=np.flatnonzero(split == HELD_OUT),
            tables_of_pair=np.bincount(named_pairs, minlength=len(tables.names)),
        )

    def validation_sample(self) -> np.ndarray:
        """Rows that are judged while a network learns."""
        step = max(1, len(self.validation) // VALIDATION_TABLES)
        return self.validation[::step]

    def report(self) -> None:
        """Print how many tables and pairs there are."""
        print(
            f"{len(self.training)} tables to learn from, {len(self.validation)} to "
            f"choose by, {len(self.held_out)} to judge by",
            flush=True,
        )
        print(
            f"{len(self.tables_of_pair)} pairs, {int(self.is_aside.sum())} aside, "
            f"{int((self.tables_of_pair >= 100).sum())} with 100 tables",
            flush=True,
        )


class TrainingSteps:
    """The rows of tables of each step, by the length of their auctions.

    Of each length every step has the same number, so that steps have the same shapes.
    """

    def __init__(self, split: Split, tables_a_step: int) -> None:
        self.device = split.auctions.calls.device
        self.groups: list[np.ndarray] = []
        """Rows of the tables with auctions of each length."""
        self.sizes: list[int] = []
        """How many of them a step takes."""
        length = split.auctions.length[split.training]
        shorter = 0
        for longest in LONGEST:
            group = split.training[(length > shorter) & (length <= longest)]
            size = round(tables_a_step * len(group) / len(split.training))
            self.groups.append(group)
            self.sizes.append(max(1, size))
            shorter = longest

    def __call__(self, rng: np.random.Generator) -> Iterator[tuple[Tensor, ...]]:
        """One pass through the tables, in random order."""
        shuffled = [
            torch.as_tensor(rng.permutation(group), device=self.device)
            for group in self.groups
        ]
        steps = min(
            len(group) // size
            for group, size in zip(self.groups, self.sizes, strict=True)
        )
        for step in range(steps):
            yield tuple(
                group[step * size : (step + 1) * size]
                for group, size in zip(shuffled, self.sizes, strict=True)
            )


@dataclass(frozen=True)
class Fitting:
    """What all fits share."""

    split: Split
    steps: TrainingSteps
    options: argparse.Namespace
    rng: np.random.Generator

    def fit(
        self,
        name: str,
        network: Bidder,
        styles: Styles,
        seconds: float,
        *,
        teachers: Sequence[Teacher] = (),
        fits_styles: bool = True,
        both_hidden: float = BOTH_HIDDEN,
    ) -> None:
        """Fit a network, and the styles with it if ``fits_styles``.

        ``both_hidden`` is how often both pairs of a table are hidden.
        """
        lessons = None
        if teachers:
            split = self.split
            lessons = lessons_of(teachers, split.auctions, split.training)
        objective = Objective(
            name, network, styles, self.split, lessons, self.options.listen, both_hidden
        )
        parameters = sum(values.numel() for values in network.parameters())
        print(f"{name}: {parameters} parameters", flush=True)
        modules = [network, styles] if fits_styles else [network]
        train(
            nn.ModuleList(modules),
            self.steps,
            objective.loss,
            objective.validate,
            Schedule(seconds, self.options.rate, self.options.decay),
            self.rng,
            name,
            recorded=True,
        )
        network.eval()

    def teach(self, path: Path, network: Bidder) -> None:
        """Fit a teacher, with styles of its own, and write its file."""
        styles = Styles(self.split.tables_of_pair).to(self.steps.device)
        seconds, _, _, _ = self.options.seconds
        self.fit(path.name, network, styles, seconds)
        facts = {"sizes": [self.options.wide]}
        write_networks(path, {"wide": network}, {"pairs": styles.numbers}, facts)


@dataclass(frozen=True)
class Objective:
    """What a network is fitted to, and judged by while it learns."""

    name: str
    network: Bidder
    styles: Styles
    split: Split
    lessons: Lessons | None
    listen: float
    both_hidden: float

    def loss(self, rows: tuple[Tensor, ...]) -> Tensor:
        """Mean loss of the calls of a step."""
        auctions = self.split.auctions
        batches = [
            hide_at_random(batch_of(auctions, group, longest), self.both_hidden)
            for group, longest in zip(rows, LONGEST, strict=True)
        ]
        calls = sum(batch.is_real.sum() for batch in batches)
        total = sum(
            loss_of(self.network, self.styles, batch, self.lessons, self.listen)
            for batch in batches
        )
        return total / calls

    def validate(self) -> float:
        """Mean loss with pairs unknown and known, in both readings."""
        sample = self.split.validation_sample()
        losses = []
        for pairs_known in (False, True):
            judged = judge(
                self.network, self.styles, self.split.auctions, sample, pairs_known
            )
            losses.append(judged.loss.mean(dim=0))
        rounded = [[round(float(loss), 4) for loss in row] for row in losses]
        print(f"{self.name}, nothing known and pairs known: {rounded}")
        return float(sum(losses).mean()) / 2


def write_networks(
    path: Path,
    networks: Mapping[str, Bidder],
    styles: Mapping[str, Tensor],
    facts: Mapping[str, object],
) -> None:
    """Write the file that ships: parameters, styles, and how they were made."""
    arrays = {}
    for name, numbers in styles.items():
        values = numbers.detach().float().cpu().numpy()
        arrays[name] = values.astype(np.float16)
    for name, network in networks.items():
        arrays |= parameters_of(network, f"{name}_")
    np.savez_compressed(path, **arrays, facts=np.array(str(facts)))


def load_network(network: Bidder, path: Path, name: str) -> None:
    """Take a network's parameters from a file.

    If the file knows no vectors of pairs, these say nothing to begin with.
    """
    parameters = {}
    with np.load(path) as arrays:
        for key in network.state_dict():
            array_name = f"{name}_{key.replace('.', '_')}"
            if array_name in arrays:
                scale = arrays.get(f"{array_name}:scale", np.float32(1))
                parameters[key] = torch.tensor(arrays[array_name] * scale)
    network.load_state_dict(parameters, strict=False)
    if "pair.weight" not in parameters:
        nn.init.zeros_(network.pair.weight)
        nn.init.zeros_(network.pair.bias)


def load_teacher(path: Path, features: Tensor, tables_of_pair: np.ndarray) -> Teacher:
    """The network of a file, and the styles of the pairs if the file has them."""
    device = features.device
    styles = None
    with np.load(path) as arrays:
        facts = literal_eval(str(arrays["facts"]))
        if "pairs" in arrays:
            numbers = torch.tensor(arrays["pairs"].astype(np.float32))
            styles = Styles(tables_of_pair)
            styles.load_state_dict({"numbers": numbers})
            styles = styles.to(device).eval()
    wide_sizes, *_ = facts["sizes"]
    network = Bidder(Sizes(*wide_sizes), 0.0, features)
    load_network(network, path, "wide")
    return Teacher(network.to(device).eval(), styles)


def bidder_features(device: torch.device) -> Tensor:
    """(8192, 47) features of every holding, its small cards not told apart."""
    features = suit_features().to(device)
    features[:, :SMALL_CARDS] = 0.0
    return features


def new_networks(
    options: argparse.Namespace, features: Tensor
) -> tuple[Bidder, Bidder]:
    """The wide network and the guide, with the parameters of ``--start`` if given."""
    wide = Bidder(Sizes(*options.wide), options.dropout, features)
    guide = Bidder(Sizes(*options.guide), GUIDE_DROPOUT, features)
    if options.start is not None:
        load_network(wide, options.start, "wide")
        load_network(guide, options.start, "guide")
    return wide.to(features.device), guide.to(features.device)


def fit_teachers(fitting: Fitting, features: Tensor) -> None:
    """Fit the teachers, and write their files beside the output."""
    options = fitting.options
    for path in teacher_paths(options):
        network = Bidder(Sizes(*options.wide), options.dropout, features)
        fitting.teach(path, network.to(features.device))


def teacher_paths(options: argparse.Namespace) -> list[Path]:
    """The files of the teachers that are fitted here."""
    suffixes = [f".{number}.npz" for number in range(TEACHERS)]
    return [options.output.with_suffix(suffix) for suffix in suffixes]


def fit_networks(
    fitting: Fitting,
    wide: Bidder,
    guide: Bidder,
    styles: Styles,
    teachers: Sequence[Teacher],
) -> None:
    """Fit the wide network and the styles to the teachers, the guide to the wide one."""
    _, wide_seconds, guide_seconds, _ = fitting.options.seconds
    fitting.fit("wide", wide, styles, wide_seconds, teachers=teachers)
    fitting.fit(
        "guide",
        guide,
        styles,
        guide_seconds,
        teachers=[Teacher(wide, styles)],
        fits_styles=False,
    )


def fit_styles(fitting: Fitting, wide: Bidder, guide: Bidder, styles: Styles) -> None:
    """Fit the styles, and what the networks make of them, to the records alone."""
    *_, seconds = fitting.options.seconds
    wide.freeze()
    fitting.fit("wide, styles", wide, styles, WIDE_SHARE * seconds, both_hidden=0.0)
    guide.freeze()
    fitting.fit(
        "guide, styles",
        guide,
        styles,
        GUIDE_SHARE * seconds,
        fits_styles=False,
        both_hidden=0.0,
    )


def judge_and_write(
    fitting: Fitting,
    networks: Mapping[str, Bidder],
    styles: Styles,
    facts: dict[str, object],
) -> None:
    """Write the file that ships, again after each judgement, since those take time.

    Judged are calls at tables set aside, and at those of pairs set aside. In between
    the named styles are learned, which ship too.
    """
    split = fitting.split
    output = fitting.options.output
    wide = networks["wide"]
    write_networks(output, networks, {}, facts)
    facts["held out"] = verdicts(
        networks, styles, split.auctions, split.held_out, split.tables_of_pair
    )
    print(json.dumps(facts), flush=True)
    named = named_styles(
        wide,
        split.auctions,
        split.tables,
        split.training,
        fitting.options.named,
        fitting.rng,
    )
    style_arrays = {f"style_{name}": numbers for name, numbers in named.items()}
    write_networks(output, networks, style_arrays, facts)
    pair = split.tables.pair
    pairs_on_device = torch.tensor(pair.astype(np.int64), device=fitting.steps.device)
    auctions = split.auctions._replace(pair=pairs_on_device)
    facts["new pairs"] = new_pairs(wide, auctions, pair, split.is_aside)
    write_networks(output, networks, style_arrays, facts)
    print(json.dumps(facts))


def main() -> None:
    """Fit teachers, networks and styles, judge them, and write the file that ships."""
    options = options_of_command()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_float32_matmul_precision("high")
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    split = Split.of(read(options.records), options.share, rng, device)
    split.report()
    features = bidder_features(device)
    wide, guide = new_networks(options, features)
    styles = Styles(split.tables_of_pair).to(device)
    fitting = Fitting(split, TrainingSteps(split, options.tables), options, rng)
    if options.teach:
        fitting.teach(options.output, wide)
        return
    paths = options.teachers or teacher_paths(options)
    if not options.styles:
        if not options.teachers:
            fit_teachers(fitting, features)
        teachers = [
            load_teacher(path, features, split.tables_of_pair) for path in paths
        ]
        fit_networks(fitting, wide, guide, styles, teachers)
    fit_styles(fitting, wide, guide, styles)
    rescale(styles, (wide, guide))
    round_weights(wide)
    round_weights(guide)
    facts: dict[str, object] = {
        "seed": options.seed,
        "source": str(split.tables.source),
        "tables": len(split.training),
        "sizes": [options.wide, options.guide],
        "seconds": options.seconds,
        "teachers": [path.name for path in paths],
    }
    judge_and_write(fitting, {"wide": wide, "guide": guide}, styles, facts)


if __name__ == "__main__":
    main()
