"""Random numbers from counters, keyed by (seed, game, purpose).

A stream is a key that advances by a constant; each number is a mix of it (splitmix64). Streams of different
purposes never touch: a rule that makes one player decide once more leaves the deal, the recycles and the
other players' decisions as they were.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calcsim.engine._jit import State, kernel

GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S27 = np.uint64(27)
_S30 = np.uint64(30)
_S31 = np.uint64(31)
_S32 = np.uint64(32)

PURPOSE_DEAL = 0
PURPOSE_RESHUFFLE = 1
PURPOSE_POLICY = 8  # + seat
PURPOSE_RECYCLE = 64  # + number of the recycle in the game

NOISE_STEP = 1 << 32
"""Purposes of the same deal played once more by players who choose anew lie so far apart."""


@kernel
def mix(x: np.uint64) -> np.uint64:
    """Return splitmix64's finaliser of `x`."""
    x = (x ^ (x >> _S30)) * _MIX_1
    x = (x ^ (x >> _S27)) * _MIX_2
    return x ^ (x >> _S31)


@kernel
def stream_key(seed: int, game: int, purpose: int) -> np.uint64:
    """Return the key of the stream of one purpose in one game of one seed."""
    key = mix(np.uint64(seed) + GAMMA)
    key = mix(key ^ (np.uint64(game) * _MIX_1 + GAMMA))
    return mix(key ^ (np.uint64(purpose) * _MIX_2 + GAMMA))


@kernel
def scale(x: np.uint64, n: int) -> int:
    """Return 0..n-1 from 64 random bits; each with probability ``1/n`` up to ``n / 2**32``."""
    return int(np.int64(((x >> _S32) * np.uint64(n)) >> _S32))


@kernel
def next_below(state: State, stream: int, n: int) -> int:
    """Return a number 0..n-1 of the stream kept at ``state[stream]``, and advance it."""
    x = np.uint64(state[stream]) + GAMMA
    state[stream] = int(np.int64(x))
    return scale(mix(x), n)


@kernel
def split(rng: NDArray[np.uint64]) -> int:
    """Return the key of a new stream for `next_below`, drawn from a player's own, which is advanced."""
    rng[0] = rng[0] + GAMMA
    return int(np.int64(mix(mix(rng[0]) ^ _MIX_2)))


@kernel
def below(rng: NDArray[np.uint64], n: int) -> int:
    """Return a number 0..n-1 for a player's function, and advance its stream.

    Parameters
    ----------
    rng : uint64[::1], shape (1,) or more
        The stream. `rng[0]` is modified in place.
    n : int
        1 to 2**31.
    """
    rng[0] = rng[0] + GAMMA
    return scale(mix(rng[0]), n)
