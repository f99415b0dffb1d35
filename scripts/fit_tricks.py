"""Fit the network of the estimator ``tricks`` on deals with solved double-dummy tables.

    python scripts/fit_tricks.py double_dummy.txt.gz -o bayesbridge/estimators/data/tricks.npz

A line of the file is a deal, hands in the order W N E S, each
spades.hearts.diamonds.clubs, a colon, and 20 hexadecimal digits: for NT, S, H, D and C
the tricks of North–South when S, E, N and W lead. The DDS library publishes such a
file.

Two steps. A teacher, a transformer over the four suits of a deal that cannot tell one
side suit from another, learns from the solved deals; one temperature, chosen on deals
set aside, makes it neither too sure nor too modest. A small network of the same kind,
the one that ships, then learns the teacher's distributions on fresh random deals, of
which there are as many as one likes. Deals are set aside by a hash of their cards. Both
steps run for a stated time, since their rate of learning falls with the time that is
left. The small network comes out too modest: choose ``SHARPER`` of
bayesbridge/estimators/network.py anew on the deals set aside to choose by. What is
judged here is without it.

Needs PyTorch (``pip install '.[train]'``), which bayesbridge does not; a GPU makes it
minutes instead of days. The estimator itself needs NumPy and numba alone.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import math
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812, the name everybody knows

CLASSES = 14
"""Tricks 0 … 13."""

STRAINS = 5
NO_TRUMP = 4
QUESTIONS = 20
"""Questions about a deal: strain and declarer, numbered ``4 * strain + declarer``."""

TEST = 0.06
VALIDATE = 0.04
"""Shares of the deals set aside to judge by and to choose by."""

LEARN, CHOOSE, JUDGE = range(3)
"""What deals are for."""

RANKS = "23456789TJQKA"
SEATS_OF_HANDS = (3, 0, 1, 2)
"""Of the hands in a line: W N E S."""

SUITS_OF_HAND = (3, 2, 1, 0)
"""Spades come first."""

DECLARERS = (1, 0, 3, 2)
"""Of the digits of a strain: S, E, N, W lead, so E, N, W, S declare."""

SUIT_WEIGHT = 0.8
NO_TRUMP_WEIGHT = 0.2
"""Of the losses by which the temperature is chosen."""

TEMPERATURES = np.arange(0.9, 1.6, 0.05)

TEACHER_BATCH = 4096
TEACHER_HEADS = 8
TEACHER_RATE = 1e-3
TEACHER_DECAY = 0.05
NETWORK_RATE = 2e-3

WARM_UP_STEPS = 500
FIGURES = ("loss", "exact", "within", "bias")
"""By which a model is judged.

They are log-loss, share exact, share within a trick, and how many tricks too many.
"""

STEPS_BETWEEN_WAITS = 20
"""After so many the host waits for the GPU, since the clock is the host's."""

NORM_EPSILON = 1e-6


def split_of(hands: str) -> int:
    """What a deal is for, by a hash of its own text, W N E S."""
    digest = hashlib.sha256(hands.encode()).digest()
    share = int.from_bytes(digest[:8], "big") / 2**64
    if share < TEST:
        return JUDGE
    if share < TEST + VALIDATE:
        return CHOOSE
    return LEARN


def read(path: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The deals of a file.

    Returns
    -------
    owners : array, shape (n, 4, 13)
        Seat of each card, by suit from clubs on and rank from the two on.
    tricks : array, shape (n, 5, 4)
        By strain from clubs on, and declarer.
    splits : array, shape (n,)
        ``LEARN``, ``CHOOSE`` or ``JUDGE``.
    """
    open_file = gzip.open if path.suffix == ".gz" else open
    lines = [line.strip() for line in open_file(path, "rt") if ":" in line]
    owners = np.zeros((len(lines), 4, 13), np.uint8)
    tricks = np.zeros((len(lines), STRAINS, 4), np.uint8)
    splits = np.zeros(len(lines), np.uint8)
    for deal, line in enumerate(lines):
        hands, digits = line.split(":")
        owners[deal] = owners_of(hands)
        tricks[deal] = tricks_of(digits)
        splits[deal] = split_of(hands)
    return owners, tricks, splits


def owners_of(hands: str) -> np.ndarray:
    """(4, 13) the seat of each card of a deal in the file."""
    owners = np.zeros((4, 13), np.uint8)
    for seat, hand in zip(SEATS_OF_HANDS, hands.split(), strict=True):
        for suit, ranks in zip(SUITS_OF_HAND, hand.split("."), strict=True):
            for rank in ranks:
                owners[suit, RANKS.index(rank)] = seat
    return owners


def tricks_of(digits: str) -> np.ndarray:
    """(5, 4) tricks by strain and declarer of the digits of a deal in the file."""
    tricks = np.zeros((STRAINS, 4), np.uint8)
    for place, digit in enumerate(digits.strip()):
        strain = NO_TRUMP - place // 4
        declarer = DECLARERS[place % 4]
        north_south = int(digit, 16)
        is_north_south = declarer in (0, 2)
        tricks[strain, declarer] = north_south if is_north_south else 13 - north_south
    return tricks


def told_from_declarer(owners: Tensor, strain: Tensor, declarer: Tensor) -> Tensor:
    """(n, 4, 13) owners told from declarer, the trump suit first.

    They are 0 declarer, 1 left, 2 dummy, 3 right; given are seats.
    """
    from_declarer = (owners.long() - declarer[:, None, None]) % 4
    suits = torch.arange(4, device=owners.device).expand(len(owners), 4)
    is_side_suit = (suits != strain[:, None]).int()
    order = torch.argsort(is_side_suit, dim=1, stable=True)
    suit_of_row = order[:, :, None].expand(-1, -1, 13)
    return from_declarer.gather(1, suit_of_row)


def roles(owners: Tensor, no_trump: Tensor) -> Tensor:
    """(n, 4) what each suit is: 0 trumps, 1 a side suit, 2 a suit at no trumps."""
    is_side_suit = torch.arange(4, device=owners.device) > 0
    return torch.where(no_trump[:, None], 2, is_side_suit.long())


def pooled(x: Tensor, no_trump: Tensor) -> tuple[Tensor, Tensor]:
    """(n, width) vectors of trumps, and of the mean of the suits.

    At no trumps the first is the mean too. ``x`` is (n, 4, width), trumps first.
    """
    mean = x.mean(1)
    trumps = torch.where(no_trump[:, None], mean, x[:, 0])
    return trumps, mean


def attention(joined: Tensor, heads: int) -> Tensor:
    """(n, 4, width) what each suit takes from all suits.

    ``joined`` (n, 4, 3 · width) holds their queries, keys and values.
    """
    n, suits, width = joined.shape
    by_head = joined.view(n, suits, 3, heads, -1)
    queries, keys, values = by_head.permute(2, 0, 3, 1, 4)
    mixed = F.scaled_dot_product_attention(queries, keys, values)
    return mixed.transpose(1, 2).reshape(n, suits, width // 3)


def card_vectors(owners: Tensor, dtype: torch.dtype) -> Tensor:
    """(n, 4, 52) a 1 for each card of a suit and its owner."""
    return F.one_hot(owners, 4).flatten(2).to(dtype)


class Block(nn.Module):
    """One layer of a transformer, normalised first."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.first = nn.LayerNorm(width)
        self.second = nn.LayerNorm(width)
        self.joined = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        self.heads = heads
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """(n, 4, width) → (n, 4, width)."""
        mixed = attention(self.joined(self.first(x)), self.heads)
        x = x + self.drop(self.out(mixed))
        hidden = F.gelu(self.up(self.second(x)))
        return x + self.drop(self.down(hidden))


class Teacher(nn.Module):
    """A transformer over the four suits."""

    def __init__(self, width: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.suit = nn.Sequential(
            nn.Linear(52, width), nn.GELU(), nn.Linear(width, width)
        )
        self.role = nn.Embedding(3, width)
        self.blocks = nn.ModuleList(
            Block(width, TEACHER_HEADS, dropout) for _ in range(layers)
        )
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, CLASSES)
        self.side = nn.Linear(width, CLASSES)
        self.register_buffer("temperature", torch.ones(()))

    def forward(self, owners: Tensor, no_trump: Tensor) -> Tensor:
        """(n, 14) scores of tricks."""
        cards = card_vectors(owners, self.role.weight.dtype)
        x = self.suit(cards) + self.role(roles(owners, no_trump))
        for block in self.blocks:
            x = block(x)
        trumps, mean = pooled(self.norm(x), no_trump)
        return (self.head(trumps) + self.side(mean)) / self.temperature


class Network(nn.Module):
    """What ships: bayesbridge/estimators/network.py computes the same with NumPy."""

    def __init__(self, width: int, layers: int, heads: int, last: int) -> None:
        super().__init__()
        self.suit = nn.Linear(52, 2 * width)
        self.role = nn.Embedding(3, 2 * width)
        self.begin = nn.Linear(2 * width, width)
        self.before = nn.ModuleList(
            nn.RMSNorm(width, NORM_EPSILON) for _ in range(layers)
        )
        self.between = nn.ModuleList(
            nn.RMSNorm(width, NORM_EPSILON) for _ in range(layers)
        )
        self.joined = nn.ModuleList(nn.Linear(width, 3 * width) for _ in range(layers))
        self.out = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.up = nn.ModuleList(nn.Linear(width, 2 * width) for _ in range(layers))
        self.down = nn.ModuleList(nn.Linear(2 * width, width) for _ in range(layers))
        self.norm = nn.RMSNorm(width, NORM_EPSILON)
        self.gather = nn.Linear(2 * width, last)
        self.leave = nn.Linear(last, CLASSES)
        self.heads = heads

    def forward(self, owners: Tensor, no_trump: Tensor) -> Tensor:
        """(n, 14) scores of tricks."""
        cards = card_vectors(owners, self.role.weight.dtype)
        suits = self.suit(cards) + self.role(roles(owners, no_trump))
        x = self.begin(F.relu(suits))
        for layer in range(len(self.up)):
            joined = self.joined[layer](self.before[layer](x))
            x = x + self.out[layer](attention(joined, self.heads))
            hidden = F.relu(self.up[layer](self.between[layer](x)))
            x = x + self.down[layer](hidden)
        vectors = torch.cat(pooled(self.norm(x), no_trump), 1)
        return self.leave(F.relu(self.gather(vectors)))


class Solved:
    """The solved deals of one split, as questions: a deal, a strain and a declarer."""

    def __init__(self, owners: np.ndarray, tricks: np.ndarray, device: str) -> None:
        self.owners = torch.as_tensor(owners, device=device)
        self.tricks = torch.as_tensor(tricks, device=device).flatten(1).long()
        self.device = device

    def __len__(self) -> int:
        return QUESTIONS * len(self.owners)

    def ask(self, index: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Owners told from declarer, whether it is no trumps, and the tricks.

        ``index`` (n,) numbers the questions of all deals.
        """
        deal = index // QUESTIONS
        question = index % QUESTIONS
        strain = question // 4
        declarer = question % 4
        owners = told_from_declarer(self.owners[deal], strain, declarer)
        return owners, strain == NO_TRUMP, self.tricks[deal, question]


def half_precision(device: str) -> torch.autocast:
    """Half precision on a GPU."""
    return torch.autocast(device, torch.bfloat16, enabled=device != "cpu")


def compiled(model: nn.Module, device: str) -> nn.Module:
    """A model that is faster on a GPU."""
    return torch.compile(model, dynamic=False) if device != "cpu" else model


@torch.no_grad()
def judge(model: nn.Module, solved: Solved, batch: int = 20_000) -> dict[str, float]:
    """The ``FIGURES`` of a model, in suits and at no trumps."""
    model.eval()
    rows = []
    for index in torch.arange(len(solved), device=solved.device).split(batch):
        owners, no_trump, tricks = solved.ask(index)
        with half_precision(solved.device):
            scores = model(owners, no_trump)
        values = values_of_questions(scores.float(), tricks)
        rows.append(torch.stack([no_trump.float(), *values], 1))
    table = torch.cat(rows).cpu().numpy()
    figures = {}
    for name, is_no_trump in (("suits", 0), ("nt", 1)):
        _, *means = table[table[:, 0] == is_no_trump].mean(0)
        for figure, mean in zip(FIGURES, means, strict=True):
            figures[f"{name}_{figure}"] = round(float(mean), 4)
    return figures


def values_of_questions(scores: Tensor, tricks: Tensor) -> list[Tensor]:
    """(n,) values of each question whose means are the ``FIGURES``."""
    difference = (scores.argmax(1) - tricks).abs()
    trick_counts = torch.arange(float(CLASSES), device=scores.device)
    expected_tricks = scores.softmax(1) @ trick_counts
    return [
        F.cross_entropy(scores, tricks, reduction="none"),
        (difference == 0).float(),
        (difference <= 1).float(),
        expected_tricks - tricks,
    ]


def report(**facts: object) -> None:
    """Print one line of progress, readable by programs too."""
    print(json.dumps(facts), flush=True)


def steps(
    name: str,
    model: nn.Module,
    minutes: float,
    highest_rate: float,
    decay: float,
    validation: Solved,
) -> Iterator[None]:
    """Yield until the time is over: whoever asks makes gradients, then a step is taken.

    The rate of learning warms up and falls as half a cosine. After each tenth of the
    time the model is judged.
    """
    on_gpu = validation.device != "cpu"
    optimiser = torch.optim.AdamW(
        model.parameters(), lr=highest_rate, weight_decay=decay, fused=on_gpu
    )
    start = time.monotonic()
    step = 0
    next_report = 0.0
    while True:
        time_share = (time.monotonic() - start) / minutes / 60
        if time_share >= 1:
            break
        rate = rate_at(step, time_share, highest_rate)
        for group in optimiser.param_groups:
            group["lr"] = rate
        model.train()
        optimiser.zero_grad(set_to_none=True)
        yield
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        if step % STEPS_BETWEEN_WAITS == 0 and on_gpu:
            torch.cuda.synchronize()
        if time_share >= next_report:
            next_report += 0.1
            seconds = round(time.monotonic() - start)
            report(model=name, step=step, seconds=seconds, **judge(model, validation))
        step += 1
    report(model=name, step=step, **judge(model, validation))


def rate_at(step: int, time_share: float, highest_rate: float) -> float:
    """The learning rate after so many steps and such a share of the time."""
    warm_up = min(1.0, (step + 1) / WARM_UP_STEPS)
    return highest_rate * warm_up * 0.5 * (1 + math.cos(math.pi * time_share))


def teach(
    training: Solved, validation: Solved, options: argparse.Namespace
) -> nn.Module:
    """A teacher that learned from the solved deals, its temperature chosen.

    Its parameters are read from the file ``--teacher`` if that exists, else written.
    """
    torch.manual_seed(options.seed)
    teacher = Teacher(options.width, options.layers, options.dropout)
    teacher = teacher.to(training.device)
    if options.teacher.exists():
        parameters = torch.load(options.teacher, map_location=training.device)
        teacher.load_state_dict(parameters, strict=False)
    else:
        fit_teacher(teacher, training, validation, options.teach)
        parameters = {
            name: values.half() for name, values in teacher.state_dict().items()
        }
        torch.save(parameters, options.teacher)
    choose_temperature(teacher, validation)
    return teacher.eval()


def fit_teacher(
    teacher: Teacher, training: Solved, validation: Solved, minutes: float
) -> None:
    """Fit a teacher to solved deals."""
    device = training.device
    model = compiled(teacher, device)
    fit_steps = steps(
        "teacher", teacher, minutes, TEACHER_RATE, TEACHER_DECAY, validation
    )
    for _ in fit_steps:
        index = torch.randint(len(training), (TEACHER_BATCH,), device=device)
        owners, no_trump, tricks = training.ask(index)
        with half_precision(device):
            loss = F.cross_entropy(model(owners, no_trump).float(), tricks)
            loss.backward()


def choose_temperature(teacher: Teacher, validation: Solved) -> None:
    """Set the temperature with the least loss."""
    losses = {}
    for temperature in TEMPERATURES.tolist():
        teacher.temperature.fill_(temperature)
        figures = judge(teacher, validation)
        suit_loss = SUIT_WEIGHT * figures["suits_loss"]
        losses[temperature] = suit_loss + NO_TRUMP_WEIGHT * figures["nt_loss"]
    teacher.temperature.fill_(min(losses, key=losses.__getitem__))


def distil(
    teacher: nn.Module, validation: Solved, options: argparse.Namespace
) -> nn.Module:
    """The network that ships, which learns what the teacher says of random deals."""
    torch.manual_seed(options.seed)
    device = validation.device
    network = Network(options.small, options.small_layers, options.heads, options.last)
    network = network.to(device)
    fast_teacher = compiled(teacher, device)
    fast_network = compiled(network, device)
    fit_steps = steps(
        "network", network, options.minutes, NETWORK_RATE, 0.0, validation
    )
    for _ in fit_steps:
        owners = random_owners(options.batch, device)
        no_trump = torch.rand(options.batch, device=device) < options.no_trump
        with torch.no_grad(), half_precision(device):
            chances = fast_teacher(owners, no_trump).float().softmax(1)
        with half_precision(device):
            loss = F.cross_entropy(fast_network(owners, no_trump).float(), chances)
            loss.backward()
    return network.half().float()


def random_owners(n: int, device: str) -> Tensor:
    """(n, 4, 13) owners of the cards of random deals."""
    order = torch.rand(n, 52, device=device).argsort(1)
    return order.div(13, rounding_mode="floor").view(-1, 4, 13)


def write_network(network: nn.Module, path: Path, about: dict[str, object]) -> None:
    """Write half-precision weights, and where they came from."""
    arrays = {
        name: values.detach().cpu().numpy().astype(np.float16)
        for name, values in network.state_dict().items()
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, about=np.array(json.dumps(about)), **arrays)
    parameters = sum(array.size for array in arrays.values())
    report(path=str(path), bytes=path.stat().st_size, parameters=parameters)


def options_of_command() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=Path, help="the solved deals")
    parser.add_argument("-o", "--out", type=Path, default=Path("tricks.npz"))
    parser.add_argument(
        "--teacher",
        type=Path,
        default=Path("teacher.pt"),
        help="kept here, and used if it is there",
    )
    parser.add_argument(
        "--device", default="cuda" if torch.cuda.is_available() else "cpu"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--teach", type=float, default=4.4, help="minutes for the teacher"
    )
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--dropout", type=float, default=0.25)
    parser.add_argument(
        "--minutes", type=float, default=9.0, help="minutes for the network that ships"
    )
    parser.add_argument(
        "--small", type=int, default=72, help="width of the network that ships"
    )
    parser.add_argument("--small-layers", type=int, default=3)
    parser.add_argument("--heads", type=int, default=3)
    parser.add_argument("--last", type=int, default=256)
    parser.add_argument("--batch", type=int, default=8192)
    parser.add_argument(
        "--no-trump",
        type=float,
        default=0.3,
        help="share of the random questions at no trumps",
    )
    return parser.parse_args()


def main() -> None:
    """Read, teach, distil, judge, write."""
    options = options_of_command()
    torch.backends.cuda.matmul.allow_tf32 = True
    owners, tricks, splits = read(options.data)
    training, validation, test = (
        Solved(owners[splits == part], tricks[splits == part], options.device)
        for part in (LEARN, CHOOSE, JUDGE)
    )
    report(
        deals=len(owners),
        learned_from=len(training.owners),
        chosen_by=len(validation.owners),
        judged_by=len(test.owners),
    )
    teacher = teach(training, validation, options)
    report(teacher=float(teacher.temperature), **judge(teacher, test))
    network = distil(teacher, validation, options)
    judged = judge(network, test)
    report(judged=judged)
    settings = {
        name: value
        for name, value in vars(options).items()
        if not isinstance(value, Path)
    }
    about = {
        "data": hashlib.sha256(options.data.read_bytes()).hexdigest(),
        "heads": options.heads,
        "judged": judged,
        "settings": settings,
    }
    write_network(network, options.out, about)


if __name__ == "__main__":
    main()
