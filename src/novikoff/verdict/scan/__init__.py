"""One read-only pass over signed rows, z = sign * row: where the smallest score z . w is.

All that is said of data in `verdict` comes from such scans, so whatever can be scanned (a file, a
cluster) can be judged. Scores are floating-point sums; `error` bounds how far off any of them can
be, whatever the order of summation (Higham, Accuracy and Stability, section 3.1):

    |computed - exact| <= g * sum_j |z_j| |w_j|,    g = m u / (1 - m u),    m = entries + 3

The sum is bounded for all rows at once, by the columns' largest entries or by the longest row.
"""

from novikoff.verdict.scan.kernels import fingerprints, fingerprints_in_parts
from novikoff.verdict.scan.results import (
    BLOCKS,
    BlockMinima,
    BlockPartition,
    Indices,
    LowestScores,
    Mask,
    ScoredRows,
    Signs,
    Vector,
)
from novikoff.verdict.scan.scan import HUGE, NO_MASK, NO_SCALES, SMALLEST, TINY, UNIT, Scan

__all__ = [
    "BLOCKS",
    "HUGE",
    "NO_MASK",
    "NO_SCALES",
    "SMALLEST",
    "TINY",
    "UNIT",
    "BlockMinima",
    "BlockPartition",
    "Indices",
    "LowestScores",
    "Mask",
    "Scan",
    "ScoredRows",
    "Signs",
    "Vector",
    "fingerprints",
    "fingerprints_in_parts",
]
