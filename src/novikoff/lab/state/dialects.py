"""The perceptron as the proof and each of the lecture notes have it, as settings."""

from typing import NamedTuple

from novikoff.lab.state.settings import RunSettings, as_text, canonical


class Dialect(NamedTuple):
    """A note's perceptron, and what it pins down."""

    title: str
    about: str
    settings: RunSettings

    def as_strings(self) -> dict[str, str]:
        """Its settings as an address has them."""
        return as_text(canonical(self.settings))


DIALECTS = {
    "proof": Dialect(
        "As in the proof",
        "From zeros; a score of exactly 0 is a mistake, as the proof needs. At most (D/γ)²"
        " mistakes.",
        RunSettings(),
    ),
    "000": Dialect(
        "COMS 172 (000): one-sided",
        "Positive rows only, scaled to length 1, no bias, from zeros: a row with w·x ≤ 0 is added."
        " At most 1/g² updates, where g is the gap.",
        RunSettings(rule="one-sided"),
    ),
    "001": Dialect(
        "Mistake bounds (001): unit length",
        "Predicts + only where w·x > 0; rows are scaled to length 1, a dummy input of 1 stands for"
        " the bias, and the start is zeros. At most 1/γ² mistakes.",
        RunSettings(tie="negative", unit=True),
    ),
    "002": Dialect(
        "Separability (002): random start",
        "A random start and a step η; only a signed score below 0 is an error, so nothing"
        " moves at exactly 0. The rows are cycled through until none is wrong.",
        RunSettings(start="random", tie="keep"),
    ),
    "003": Dialect(
        "Snapp (003): fixed increment",
        "Homogeneous coordinates, a random start, a fixed increment η, and sgn(0) = −1. The proof"
        " keeps ‖w(k) − w(0)‖² between A·k² and B·k.",
        RunSettings(start="random", tie="negative"),
    ),
    "004": Dialect(
        "CS229 (004): online",
        "Predict, see the label, learn: sgn(0) = +1, no step size, from zeros. At most (D/γ)²"
        " mistakes in all (Block, Novikoff 1962).",
        RunSettings(tie="positive"),
    ),
}
