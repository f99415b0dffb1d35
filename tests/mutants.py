"""Damage as it befalls files: bytes flipped, pieces lost, doubled or moved, the end cut
off.
"""

import random

MARKS = b"\"'[]{}|;:,.%#*+-=_\n\r\t\\ 01AN\x00\xff"
"""What means something in one format or another."""


def mutant(rng, raw):
    """A document with one to six damages."""
    data = bytearray(raw)
    for _ in range(rng.randint(1, 6)):
        if not data:
            break
        at, length = rng.randrange(len(data)), rng.randint(1, 40)
        match rng.randrange(7):
            case 0:
                data[at] ^= 1 << rng.randrange(8)
            case 1:
                data[at] = rng.choice(MARKS)
            case 2:
                del data[at : at + length]
            case 3:
                data[at:at] = data[at : at + length]
            case 4:
                data[at:at] = rng.randbytes(length)
            case 5:
                del data[rng.randrange(len(data)) :]
            case 6:
                piece = bytes(data[at : at + length])
                del data[at : at + length]
                to = rng.randint(0, len(data))
                data[to:to] = piece
    return bytes(data)


def mutants(originals, seed, count):
    """``count`` damaged documents; the same seed gives the same."""
    rng = random.Random(seed)
    for _ in range(count):
        yield mutant(rng, rng.choice(originals))
