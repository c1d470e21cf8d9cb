# SPDX-License-Identifier: Apache-2.0
"""The few statistics that a report needs."""

import math

CONFIDENCE = 0.95


def mean(values):
    return math.fsum(values) / len(values)


def deviation(values):
    """Standard deviation of the sample, None for less than two values."""
    if len(values) < 2:
        return None
    middle = mean(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values)
                     / (len(values) - 1))


def variation(values):
    """Coefficient of variation, None where there is none."""
    spread = deviation(values)
    middle = mean(values)
    return spread / middle if spread is not None and middle else None


def percentile(values, percent):
    """The smallest of 'values', which are sorted, such that 'percent' of them
    are not above it."""
    rank = math.ceil(percent / 100 * len(values))
    return values[max(rank, 1) - 1]


def t_within(t, degrees):
    """The probability that a variable of Student's distribution with
    'degrees' of freedom, a whole number, is within -'t' and 't'.  By the
    finite series for cos and sin of atan('t' / sqrt('degrees'))."""
    angle = math.atan2(t, math.sqrt(degrees))
    sine, cosine = math.sin(angle), math.cos(angle)
    if degrees == 1:
        return 2 * angle / math.pi
    odd = degrees % 2
    term = cosine if odd else 1.0
    total = term
    for i in range(2 + odd, degrees - 1, 2):
        term *= (i - 1) / i * cosine ** 2
        total += term
    return (2 / math.pi * (angle + sine * total) if odd else sine * total)


def t_quantile(degrees, confidence=CONFIDENCE):
    """How many standard errors to either side of a mean hold 'confidence'."""
    low, high = 0.0, 1.0
    while t_within(high, degrees) < confidence:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        if t_within(middle, degrees) < confidence:
            low = middle
        else:
            high = middle
    return high


def interval(values, confidence=CONFIDENCE):
    """Half the width of the confidence interval of the mean of 'values', None
    for less than two."""
    spread = deviation(values)
    if spread is None:
        return None
    return (t_quantile(len(values) - 1, confidence) * spread
            / math.sqrt(len(values)))


def ratio(base, other):
    """The ratio of 'other' to 'base', each a dict of positive values by round.

    Both values of a round were measured one right after the other, so that
    what else happens to the machine touches both: they make a pair.  Returns
    the geometric mean of the pairs' ratios and both ends of its confidence
    interval, by Student's distribution of the logarithms.  The ends are None
    for a single pair, all three for none."""
    logs = [math.log(other[number] / base[number])
            for number in sorted(base.keys() & other.keys())
            if base[number] > 0 and other[number] > 0]
    if not logs:
        return None, None, None
    middle = mean(logs)
    half = interval(logs)
    if half is None:
        return math.exp(middle), None, None
    return math.exp(middle), math.exp(middle - half), math.exp(middle + half)
