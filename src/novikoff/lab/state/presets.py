"""Points and settings that each show one thing; their names are parts of addresses.

Coordinates are multiples of 1/2 where they can be, so that margins are short fractions. What a
preset's text says of its run is tested.
"""

from typing import NamedTuple

from novikoff.lab.state.settings import DEFAULTS, RunSettings, canonical
from novikoff.lab.state.url_values import Point, read_points

DEFAULT = "clouds"


class Preset(NamedTuple):
    """Points with settings, and what to look at."""

    title: str
    about: str
    points: tuple[Point, ...]
    settings: RunSettings


def _preset(title: str, about: str, points: str, settings: RunSettings = DEFAULTS) -> Preset:
    return Preset(title, about, read_points(points), canonical(settings))


CLOUDS = (
    "p-1,-1.5p1,-1n-2,-1n-2,1.5p1,-2.5n-1.5,1.5n-0.5,0.5n0,3n-1,0p1.5,-3p1,0.5p1.5,-1.5p0,-1"
    "n-1,1.5n-1.5,2n-1.5,1p3.5,-0.5p-0.5,-2.5"
)

PRESETS = {
    "clouds": _preset(
        "Two clouds",
        "Step through the 9 updates, of at most 49: each adds to the product of w with w*, the"
        " separator of largest margin, though some turn the line away from it. Then switch the bias"
        " off: γ and the bound change.",
        CLOUDS,
    ),
    "wide": _preset(
        "Wide margin",
        "The margin is nearly half as long as the longest row. So the theorem leaves room for 4"
        " mistakes, whatever the order; here it takes 2.",
        "p2.5,-1.5p2.5,-0.5p3.5,0.5n-1.5,-2.5p3,-1n-2.5,-2.5n-3.5,-2.5p2.5,0.5n-2,-2.5n-2,-2"
        "p4,-0.5n-3,-2",
    ),
    "tight": _preset(
        "The bound met with equality",
        "Points of length 1 and a line through the origin: γ² = 1/2 and D = 1, so that at most 2"
        " mistakes are possible, and there are 2. The first two points are at right angles to each"
        " other: every inequality of the proof is an equality.",
        "p1,0n0,1p0.5,-0.5n-0.75,0.5p0.5,-0.75n-0.5,0.75p0.75,-0.5",
        RunSettings(bias=False),
    ),
    "loose": _preset(
        "The bound far above",
        "4 mistakes where the theorem allows 1,110. A few points far out make D large, and a"
        " close pair makes γ small: the bound is about the worst rows and order with this γ and"
        " this D.",
        "n-2.5,3n-2,4n2.5,4.5p4.5,0n0.5,3p5,-0.5n-1.5,1n2,4n1,2n-3.5,1n0.5,4.5n-2.5,2p1.5,-4.5"
        "p4,-1.5n-1,4.5p3,-0.5n-2.5,0p3,0.5n2,0.5n5,4.5",
    ),
    "tiny-margin": _preset(
        "Tiny margin",
        "γ² = 1/605, and it takes 2,350 updates until the line fits between the classes; the"
        " theorem allows at most 24,805. Jump to the end, and drag the slider back.",
        "p5.5,3n2,1n2,6n4,1.5n4.5,0n1.5,4.5p5,0p3,5p4.5,2n0.5,4.5n1.5,4",
    ),
    "xor": _preset(
        "XOR",
        "No line separates these four: the segment that joins the two points of one class crosses"
        " that of the other. The verdict needs no run; the run itself goes round in a circle for"
        " ever.",
        "n0,0p0,1p1,0n1,1",
    ),
    "overlap": _preset(
        "Overlapping clouds",
        "Two clouds that reach into each other. The few marked points alone rule out every line;"
        " drag one of them and watch the verdict.",
        "n-2,1p1.5,-0.5n-1,-1p2,1.5n-2.5,-0.5p0.5,1n0,0.5p2.5,0n-1.5,2p1,-1.5n0.5,-1p-0.5,-0.5"
        "n-0.5,1.5p3,1n-1.5,-2p1.5,2.5",
    ),
    "touching": _preset(
        "Touching",
        "Not separable, but nearly: a line puts six points strictly on their correct sides and"
        " passes through the other three. No line does better: there is no margin, hence no"
        " bound, and the run never ends.",
        "n-1,0p0,0n1,0p2,1p0,2p-1,1.5n0,-1n2,-1.5n-2,-1",
    ),
    "one-sided": _preset(
        "One-sided unit vectors",
        "COMS 172 (note 000): positive rows only, of length 1; a row with w·x ≤ 0 is added to w,"
        " until all are on its positive side. The gap g of the best w is small, as the outer two"
        " are nearly opposite: at most 1/g² = 50 updates, and there are 19.",
        "p0.6,0.8p-0.96,0.28p0.8,0.6p-0.6,0.8p1,0",
        RunSettings(rule="one-sided"),
    ),
    "far-start": _preset(
        "A random start far off",
        "The two clouds again, from random weights that are wrong, and with a small step: 67"
        " updates, not 9. Each moves w by at most η·D, so a start that is far off takes"
        " many small steps to undo; with η = 0.125 it takes 18.",
        CLOUDS,
        RunSettings(start="random", seed=6, eta=0.03125),
    ),
    "adversarial": _preset(
        "Adversarial order",
        "The order was chosen to cost as much as could be found: 32 mistakes, where the order given"
        " costs 7. By the theorem no order can cost more than 105.",
        "n-1,-4n-0.5,1n-1,3p1,-1n-2.5,-2p0,-4n-2,0n-2.5,2.5n-2.5,0p4,-3p3.5,-3n-3.5,-3n-2.5,-2.5"
        "p1,2.5",
        RunSettings(order="adversarial"),
    ),
    "sorted": _preset(
        "Sorted by class",
        "All points of one class first, then all of the other: 24 mistakes; the order given costs"
        " 3. The points and the bound, 118, are the same.",
        "p0.5,-3n0.5,1.5n-3.5,2.5n-3.5,-3.5p0.5,-2.5n0.5,3.5n0,3.5p3,-4n-3.5,1.5p-2.5,-4p2,-1.5"
        "n-1.5,3n-1.5,-1.5n-3,3.5n0,4p2.5,-1.5",
        RunSettings(order="sorted"),
    ),
}
