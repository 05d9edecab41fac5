"""Four small problems with solutions, written for the few-shot method; none is part of the data set."""

from __future__ import annotations

EXAMPLES: tuple[tuple[str, str], ...] = (
    (
        "I have a DataFrame `df` with the columns `city` and `temp`. I want the highest `temp` of each city "
        "as a new DataFrame with the same two columns, put into the variable `result`.",
        "result = df.groupby('city', as_index=False)['temp'].max()",
    ),
    (
        "Given a 2-d array `a`, set every value above the mean of its own row to zero, in place.",
        "a[a > a.mean(axis=1, keepdims=True)] = 0",
    ),
    (
        "Solve the linear system `A x = b` for a positive definite matrix `A`; call the solution `x`.",
        "from scipy.linalg import cho_factor, cho_solve\nx = cho_solve(cho_factor(A), b)",
    ),
    (
        "Draw a red dashed line of `y` over `x` and label the x axis 'time'.",
        "plt.plot(x, y, 'r--')\nplt.xlabel('time')",
    ),
)
