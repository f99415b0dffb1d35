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

VALIDATE, TEST = 0.04, 0.06
"""Shares of the deals set aside to choose by and to judge by."""


def split_of(hands: str) -> int:
    """0 to learn from, 1 to choose by, 2 to judge by: a hash of the deal's own text, W
    N E S.
    """
    share = int.from_bytes(hashlib.sha256(hands.encode()).digest()[:8], "big") / 2**64
    return 2 if share < TEST else 1 if share < TEST + VALIDATE else 0


def read(path: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Owners (n, 4 suits from clubs, 13 ranks from the two), tricks (n, 5 strains from
    clubs, 4 declarers), splits.
    """
    opened = gzip.open if path.suffix == ".gz" else open
    lines = [line.strip() for line in opened(path, "rt") if ":" in line]
    owners = np.zeros((len(lines), 4, 13), np.uint8)
    tricks = np.zeros((len(lines), 5, 4), np.uint8)
    splits = np.zeros(len(lines), np.uint8)
    declarers = (1, 0, 3, 2)  # S, E, N, W lead, so E, N, W, S declare
    for i, line in enumerate(lines):
        hands, results = line.split(":")
        for seat, hand in zip((3, 0, 1, 2), hands.split(), strict=True):
            for suit, ranks in zip((3, 2, 1, 0), hand.split("."), strict=True):
                for rank in ranks:
                    owners[i, suit, "23456789TJQKA".index(rank)] = seat
        for at, digit in enumerate(results.strip()):
            strain, declarer = 4 - at // 4, declarers[at % 4]
            ours = int(digit, 16)
            tricks[i, strain, declarer] = ours if declarer in (0, 2) else 13 - ours
        splits[i] = split_of(hands)
    return owners, tricks, splits


def seen(owners: Tensor, strain: Tensor, declarer: Tensor) -> Tensor:
    """(n, 4, 13) owners as declarer sees them: 0 declarer, 1 left, 2 dummy, 3 right;
    the trump suit first.
    """
    turned = (owners.long() - declarer[:, None, None]) % 4
    suits = torch.arange(4, device=owners.device).expand(len(owners), 4)
    order = torch.argsort((suits != strain[:, None]).int(), dim=1, stable=True)
    return turned.gather(1, order[:, :, None].expand(-1, -1, 13))


def roles(owners: Tensor, no_trump: Tensor) -> Tensor:
    """(n, 4) what each suit is: 0 trumps, 1 a side suit, 2 a suit at no trumps."""
    first = torch.arange(4, device=owners.device) > 0
    return torch.where(no_trump[:, None], 2, first.long())


def pooled(x: Tensor, no_trump: Tensor) -> Tensor:
    """Trumps, or the mean of the suits at no trumps, beside the mean of the suits."""
    mean = x.mean(1)
    return torch.cat([torch.where(no_trump[:, None], mean, x[:, 0]), mean], 1)


class Block(nn.Module):
    """One layer of a transformer, normalised first."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.joined, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.heads, self.drop = heads, nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        n, length, width = x.shape
        q, k, v = (
            self.joined(self.first(x))
            .view(n, length, 3, self.heads, -1)
            .permute(2, 0, 3, 1, 4)
        )
        mixed = (
            F.scaled_dot_product_attention(q, k, v)
            .transpose(1, 2)
            .reshape(n, length, width)
        )
        x = x + self.drop(self.out(mixed))
        return x + self.drop(self.down(F.gelu(self.up(self.second(x)))))


class Teacher(nn.Module):
    """A transformer over the four suits."""

    def __init__(self, width: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.suit = nn.Sequential(
            nn.Linear(52, width), nn.GELU(), nn.Linear(width, width)
        )
        self.role = nn.Embedding(3, width)
        self.blocks = nn.ModuleList(Block(width, 8, dropout) for _ in range(layers))
        self.norm, self.head, self.side = (
            nn.LayerNorm(width),
            nn.Linear(width, CLASSES),
            nn.Linear(width, CLASSES),
        )
        self.register_buffer("temperature", torch.ones(()))

    def forward(self, owners: Tensor, no_trump: Tensor) -> Tensor:
        x = self.suit(
            F.one_hot(owners, 4).flatten(2).to(self.role.weight.dtype)
        ) + self.role(roles(owners, no_trump))
        for block in self.blocks:
            x = block(x)
        first, mean = pooled(self.norm(x), no_trump).chunk(2, 1)
        return (self.head(first) + self.side(mean)) / self.temperature


class Network(nn.Module):
    """What ships: bayesbridge/estimators/network.py computes the same with NumPy."""

    def __init__(self, width: int, layers: int, heads: int, last: int) -> None:
        super().__init__()
        self.suit, self.role, self.begin = (
            nn.Linear(52, 2 * width),
            nn.Embedding(3, 2 * width),
            nn.Linear(2 * width, width),
        )
        self.before = nn.ModuleList(nn.RMSNorm(width, 1e-6) for _ in range(layers))
        self.between = nn.ModuleList(nn.RMSNorm(width, 1e-6) for _ in range(layers))
        self.joined = nn.ModuleList(nn.Linear(width, 3 * width) for _ in range(layers))
        self.out = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.up = nn.ModuleList(nn.Linear(width, 2 * width) for _ in range(layers))
        self.down = nn.ModuleList(nn.Linear(2 * width, width) for _ in range(layers))
        self.norm, self.gather, self.leave = (
            nn.RMSNorm(width, 1e-6),
            nn.Linear(2 * width, last),
            nn.Linear(last, CLASSES),
        )
        self.heads = heads

    def forward(self, owners: Tensor, no_trump: Tensor) -> Tensor:
        cards = F.one_hot(owners, 4).flatten(2).to(self.role.weight.dtype)
        x = self.begin(F.relu(self.suit(cards) + self.role(roles(owners, no_trump))))
        n, length, width = x.shape
        for layer in range(len(self.up)):
            joined = self.joined[layer](self.before[layer](x))
            q, k, v = joined.view(n, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            mixed = (
                F.scaled_dot_product_attention(q, k, v)
                .transpose(1, 2)
                .reshape(n, length, width)
            )
            x = x + self.out[layer](mixed)
            x = x + self.down[layer](F.relu(self.up[layer](self.between[layer](x))))
        return self.leave(F.relu(self.gather(pooled(self.norm(x), no_trump))))


class Solved:
    """The solved deals of one split, as questions: a deal, a strain and a declarer."""

    def __init__(self, owners: np.ndarray, tricks: np.ndarray, device: str) -> None:
        self.owners = torch.as_tensor(owners, device=device)
        self.tricks = torch.as_tensor(tricks, device=device).flatten(1).long()
        self.device = device

    def __len__(self) -> int:
        return 20 * len(self.owners)

    def ask(self, index: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Owners seen from declarer, whether it is no trumps, and the tricks."""
        deal, place = index // 20, index % 20
        strain, declarer = place // 4, place % 4
        return (
            seen(self.owners[deal], strain, declarer),
            strain == 4,
            self.tricks[deal, place],
        )


@torch.no_grad()
def judge(model: nn.Module, solved: Solved, batch: int = 20_000) -> dict[str, float]:
    """Log-loss, share exact and share within a trick, in suits and at no trumps."""
    model.eval()
    rows = []
    for index in torch.arange(len(solved), device=solved.device).split(batch):
        owners, no_trump, tricks = solved.ask(index)
        with torch.autocast(
            solved.device, torch.bfloat16, enabled=solved.device != "cpu"
        ):
            logits = model(owners, no_trump)
        logits = logits.float()
        loss = F.cross_entropy(logits, tricks, reduction="none")
        off = (logits.argmax(1) - tricks).abs()
        bias = logits.softmax(1) @ torch.arange(14.0, device=solved.device) - tricks
        rows.append(
            torch.stack(
                [no_trump.float(), loss, (off == 0).float(), (off <= 1).float(), bias],
                1,
            )
        )
    table = torch.cat(rows).cpu().numpy()
    out = {}
    for name, at in (("suits", 0), ("nt", 1)):
        mean = table[table[:, 0] == at].mean(0)
        out |= {
            f"{name}_loss": mean[1],
            f"{name}_exact": mean[2],
            f"{name}_within": mean[3],
            f"{name}_bias": mean[4],
        }
    return {key: round(float(value), 4) for key, value in out.items()}


def say(**words: object) -> None:
    """One line of progress, readable by programs too."""
    print(json.dumps(words), flush=True)


def steps(
    name: str, model: nn.Module, minutes: float, top: float, decay: float, held: Solved
) -> Iterator[object]:
    """Yields an optimiser to step with until the time is over; its rate warms up and
    falls as half a cosine.
    """
    optimiser = torch.optim.AdamW(
        model.parameters(), lr=top, weight_decay=decay, fused=held.device != "cpu"
    )
    begin, step, said = time.monotonic(), 0, 0.0
    while (done := (time.monotonic() - begin) / minutes / 60) < 1:
        for group in optimiser.param_groups:
            group["lr"] = (
                top * min(1.0, (step + 1) / 500) * 0.5 * (1 + math.cos(math.pi * done))
            )
        model.train()
        optimiser.zero_grad(set_to_none=True)
        yield optimiser
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        if step % 20 == 0 and held.device != "cpu":
            torch.cuda.synchronize()
        if done >= said:
            said += 0.1
            say(
                model=name,
                step=step,
                seconds=round(time.monotonic() - begin),
                **judge(model, held),
            )
        step += 1
    say(model=name, step=step, **judge(model, held))


def teach(train: Solved, held: Solved, options: argparse.Namespace) -> nn.Module:
    """A teacher that learned from the solved deals, its temperature chosen on those
    aside.
    """
    torch.manual_seed(options.seed)
    teacher = Teacher(options.width, options.layers, options.dropout).to(train.device)
    if options.teacher.exists():
        teacher.load_state_dict(
            torch.load(options.teacher, map_location=train.device), strict=False
        )
    else:
        quick = (
            torch.compile(teacher, dynamic=False) if train.device != "cpu" else teacher
        )
        for _ in steps("teacher", teacher, options.teach, 1e-3, 0.05, held):
            owners, no_trump, tricks = train.ask(
                torch.randint(len(train), (4096,), device=train.device)
            )
            with torch.autocast(
                train.device, torch.bfloat16, enabled=train.device != "cpu"
            ):
                F.cross_entropy(quick(owners, no_trump).float(), tricks).backward()
        torch.save(
            {name: value.half() for name, value in teacher.state_dict().items()},
            options.teacher,
        )
    tried = {}
    for temperature in np.arange(0.9, 1.6, 0.05):
        teacher.temperature.fill_(float(temperature))
        found = judge(teacher, held)
        tried[float(temperature)] = 0.8 * found["suits_loss"] + 0.2 * found["nt_loss"]
    teacher.temperature.fill_(min(tried, key=tried.__getitem__))
    return teacher.eval()


def distil(teacher: nn.Module, held: Solved, options: argparse.Namespace) -> nn.Module:
    """The network that ships, which learns what the teacher says of random deals."""
    torch.manual_seed(options.seed)
    device, size = held.device, options.batch
    network = Network(
        options.small, options.small_layers, options.heads, options.last
    ).to(device)
    ask, quick = (
        torch.compile(m, dynamic=False) if device != "cpu" else m
        for m in (teacher, network)
    )
    for _ in steps("network", network, options.minutes, 2e-3, 0.0, held):
        owners = (
            torch.rand(size, 52, device=device)
            .argsort(1)
            .div(13, rounding_mode="floor")
            .view(-1, 4, 13)
        )
        no_trump = torch.rand(size, device=device) < options.no_trump
        with (
            torch.no_grad(),
            torch.autocast(device, torch.bfloat16, enabled=device != "cpu"),
        ):
            told = ask(owners, no_trump).float().softmax(1)
        with torch.autocast(device, torch.bfloat16, enabled=device != "cpu"):
            F.cross_entropy(quick(owners, no_trump).float(), told).backward()
    return network.half().float()


def ship(network: nn.Module, path: Path, about: dict[str, object]) -> None:
    """Half-precision weights, and where they came from."""
    arrays = {
        name: value.detach().cpu().numpy().astype(np.float16)
        for name, value in network.state_dict().items()
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, about=np.array(json.dumps(about)), **arrays)
    say(
        path=str(path),
        bytes=path.stat().st_size,
        parameters=sum(array.size for array in arrays.values()),
    )


def main() -> None:
    """Read, teach, distil, judge, write."""
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
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = True
    owners, tricks, splits = read(options.data)
    train, held, last = (
        Solved(owners[splits == k], tricks[splits == k], options.device)
        for k in range(3)
    )
    say(
        deals=len(owners),
        learned_from=len(train) // 20,
        chosen_by=len(held) // 20,
        judged_by=len(last) // 20,
    )
    teacher = teach(train, held, options)
    say(teacher=float(teacher.temperature), **judge(teacher, last))
    network = distil(teacher, held, options)
    judged = judge(network, last)
    say(judged=judged)
    source = hashlib.sha256(options.data.read_bytes()).hexdigest()
    settings = {
        key: value
        for key, value in vars(options).items()
        if not isinstance(value, Path)
    }
    ship(
        network,
        options.out,
        {
            "data": source,
            "heads": options.heads,
            "judged": judged,
            "settings": settings,
        },
    )


if __name__ == "__main__":
    main()
