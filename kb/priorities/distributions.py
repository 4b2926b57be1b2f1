"""The two distributions that rankings need."""

from math import erfc, exp, factorial, gamma, sqrt

Z_95 = 1.959963984540054


def chi_square_tail(value: float, freedom: int) -> float:
    """The chance that chi-square with `freedom` degrees is `value` or more (Abramowitz & Stegun 1964, 26.4.4, 26.4.5).

    Raises `ValueError` for fewer than 1 degree or a negative value.
    """
    if freedom < 1 or value < 0:
        raise ValueError(f"chi-square of {value} with {freedom} degrees of freedom")
    half = value / 2
    if freedom % 2 == 0:
        even = sum(half**i / factorial(i) for i in range(freedom // 2))
        return min(1.0, exp(-half) * even)
    odd = sum(sqrt(half) ** (2 * i - 1) / gamma(i + 0.5) for i in range(1, (freedom - 1) // 2 + 1))
    return min(1.0, erfc(sqrt(half)) + exp(-half) * odd)


def student_95(freedom: int) -> float:
    """The bound of Student's t that 95 % lie within on both sides (Abramowitz & Stegun 1964, 26.7.5).

    Right to 0.01 from 4 degrees on. Raises `ValueError` for fewer than 4.
    """
    if freedom < 4:
        raise ValueError(f"{freedom} degrees of freedom are too few for the expansion")
    z = Z_95
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + float(sum(term / freedom**power for power, term in enumerate(terms, start=1)))
