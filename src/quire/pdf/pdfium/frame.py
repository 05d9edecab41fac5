"""From PDF user space (origin bottom left, before /Rotate) to the page as it is displayed."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", float, NDArray[np.float64])


class Frame(NamedTuple):
    """The crop box in user space and the quarter turns (clockwise) at which it is shown."""

    left: float
    bottom: float
    right: float
    top: float
    turns: int

    @property
    def width(self) -> float:
        """As displayed."""
        return self.top - self.bottom if self.turns % 2 else self.right - self.left

    @property
    def height(self) -> float:
        """As displayed."""
        return self.right - self.left if self.turns % 2 else self.top - self.bottom

    def point(self, x: Number, y: Number) -> tuple[Number, Number]:
        """A point, or many, displayed."""
        if self.turns == 0:
            return x - self.left, self.top - y
        if self.turns == 1:
            return y - self.bottom, x - self.left
        if self.turns == 2:
            return self.right - x, y - self.bottom
        return self.top - y, self.right - x

    def direction(self, x: float, y: float) -> int:
        """The angle (0, 90 up, 180, 270 down) at which a vector of user space is displayed."""
        x0, y0 = self.point(0.0, 0.0)
        x1, y1 = self.point(x, y)
        across, down = x1 - x0, y1 - y0
        if abs(across) >= abs(down):
            return 0 if across >= 0 else 180
        return 270 if down > 0 else 90
