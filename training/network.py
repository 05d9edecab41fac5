"""A network with two hidden layers, trained in numpy: Adam, dropout, a falling rate. Minutes on one core."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

HIDDEN = 96
EPOCHS = 14
BATCH = 256
RATE = 2e-3
DECAY = 1e-3
DROP_INPUT, DROP = 0.15, 0.3
SMOOTHING = 0.02  # of the target, spread over all labels
WARM = 200  # steps
_SPREAD = 0.05  # the least standard deviation a feature is divided by


def ranges(features: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Lowest and highest value, mean and standard deviation of each feature, outliers cut off."""
    low, high = np.percentile(features, 1, axis=0), np.percentile(features, 99, axis=0)
    flag = (features.min(0) >= 0) & (features.max(0) <= 1)  # rare flags keep their range
    low, high = np.where(flag, 0, low), np.where(flag, 1, high)
    high = np.maximum(high, low + 1e-6)
    cut = np.clip(features, low, high)
    found = low, high, cut.mean(0), np.maximum(cut.std(0), _SPREAD)
    return tuple(np.asarray(a, np.float32) for a in found)  # type: ignore[return-value]


def train(
    values: Floats, targets: NDArray[np.int64], weights: Floats, labels: int, seed: int
) -> list[Floats]:
    """The layers (weights and biases in turn) of a network fitted to scaled `values`."""
    rng = np.random.default_rng(seed)
    count, width = values.shape
    sizes = (width, HIDDEN, HIDDEN, labels)
    layers: list[Floats] = []
    for before, after in zip(sizes, sizes[1:], strict=False):
        layers.append(rng.normal(0, (2 / before) ** 0.5, (before, after)).astype(np.float32))
        layers.append(np.zeros(after, np.float32))
    first = [np.zeros_like(p) for p in layers]
    second = [np.zeros_like(p) for p in layers]
    steps, step = EPOCHS * -(-count // BATCH), 0
    for _ in range(EPOCHS):
        order = rng.permutation(count)
        for start in range(0, count, BATCH):
            step += 1
            chosen = order[start : start + BATCH]
            slopes = _slopes(layers, values[chosen], targets[chosen], weights[chosen], rng)
            rate = RATE * min(1.0, step / WARM) * 0.5 * (1 + np.cos(np.pi * step / steps))
            for i, slope in enumerate(slopes):
                first[i] += 0.1 * (slope - first[i])
                second[i] += 0.001 * (slope**2 - second[i])
                move = first[i] / (1 - 0.9**step) / (np.sqrt(second[i] / (1 - 0.999**step)) + 1e-8)
                shrink = DECAY * rate * layers[i] if layers[i].ndim > 1 else 0.0
                layers[i] -= np.asarray(rate * (move + shrink), np.float32)
    layers[0] *= np.float32(1 - DROP_INPUT)
    return layers


def _slopes(
    layers: list[Floats], x: Floats, targets: NDArray[np.int64], weights: Floats, rng: np.random.Generator
) -> list[Floats]:
    """The gradient of the loss over one batch, dropout and all."""
    w0, b0, w1, b1, w2, b2 = layers
    x = x * (rng.random(x.shape, dtype=np.float32) > DROP_INPUT)
    one = x @ w0 + b0
    keep_one = (rng.random(one.shape, dtype=np.float32) > DROP) / np.float32(1 - DROP)
    hidden_one = np.maximum(one, 0) * keep_one
    two = hidden_one @ w1 + b1
    keep_two = (rng.random(two.shape, dtype=np.float32) > DROP) / np.float32(1 - DROP)
    hidden_two = np.maximum(two, 0) * keep_two
    out = hidden_two @ w2 + b2
    out = np.exp(out - out.max(1, keepdims=True))
    out /= out.sum(1, keepdims=True)
    wanted = np.full_like(out, SMOOTHING / out.shape[1])
    wanted[np.arange(len(x)), targets] += 1 - SMOOTHING
    error = (out - wanted) * weights[:, None] / np.float32(len(x))
    back_two = (error @ w2.T) * keep_two * (two > 0)
    back_one = (back_two @ w1.T) * keep_one * (one > 0)
    return [
        x.T @ back_one, back_one.sum(0), hidden_one.T @ back_two, back_two.sum(0), hidden_two.T @ error,
        error.sum(0),
    ]  # fmt: skip
