"""Damage as it befalls files.

Bytes are flipped, pieces lost, doubled or moved, the end is cut off.
"""

import random

MARKS = b"\"'[]{}|;:,.%#*+-=_\n\r\t\\ 01AN\x00\xff"
"""What means something in one format or another."""


def mutant(rng, raw):
    """A document with one to six damages."""
    document = bytearray(raw)
    for _ in range(rng.randint(1, 6)):
        if not document:
            break
        at = rng.randrange(len(document))
        length = rng.randint(1, 40)
        match rng.randrange(7):
            case 0:
                document[at] ^= 1 << rng.randrange(8)
            case 1:
                document[at] = rng.choice(MARKS)
            case 2:
                del document[at : at + length]
            case 3:
                document[at:at] = document[at : at + length]
            case 4:
                document[at:at] = rng.randbytes(length)
            case 5:
                del document[rng.randrange(len(document)) :]
            case 6:
                piece = bytes(document[at : at + length])
                del document[at : at + length]
                to = rng.randint(0, len(document))
                document[to:to] = piece
    return bytes(document)


def mutants(originals, seed, count):
    """``count`` damaged documents; the same seed gives the same."""
    rng = random.Random(seed)
    for _ in range(count):
        yield mutant(rng, rng.choice(originals))
