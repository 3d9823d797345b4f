"""Certificates: damaged, or forged with the right seal, for the fast checker and the small one.

The two must agree. One that was damaged is refused, unless it says the same. A forged one is taken
only if its figures are what a third program, over the rationals, concludes from its witness.
"""

import hashlib
import json
import random
from typing import Any

import numpy as np

import novikoff as nk
from benchmarks.attack.children import rng_for
from benchmarks.attack.damage import damage_bytes, damage_json, dump
from benchmarks.attack.tally import DIFFERENT, EQUAL, REFUSED, Outcome, attempt
from novikoff import checker
from tests.helpers.certificate_cases import CASES
from tests.helpers.certificate_reference import as_json, concluded


def forge(rng: random.Random, certificate: dict[str, Any], donor: dict[str, Any]) -> str:
    """Another certificate, with the seal that goes with its text."""
    rest = {name: value for name, value in certificate.items() if name != "seal"}
    changed = damage_json(rng, rest, donor)
    text = dump(changed, sort_keys=True, separators=(",", ":"))
    if not isinstance(changed, dict) or not changed:
        return text
    seal = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f'{text[:-1]},"seal":"{seal}"}}'


class CertificateAttack:
    """Cases on certificates."""

    def __init__(self, seed: int) -> None:
        self.seed, self.names = seed, sorted(CASES)
        for name in self.names:
            outcome = use_certificate(name, json.dumps(CASES[name].certificate), forged=False)
            if outcome.kind != EQUAL:
                raise AssertionError(f"{name}: a certificate that was not touched: {outcome}")

    def __call__(self, case: int) -> Outcome:
        rng = rng_for("certificates", self.seed, case)
        name, other = rng.choice(self.names), rng.choice(self.names)
        certificate, donor = CASES[name].certificate, CASES[other].certificate
        forged = rng.random() < 0.6
        if forged:
            text = forge(rng, certificate, donor)
        else:
            raw = [json.dumps(each).encode() for each in (certificate, donor)]
            text = damage_bytes(rng, *raw).decode("utf-8", "surrogateescape")
        return attempt(lambda: use_certificate(name, text, forged))


def use_certificate(name: str, text: str, forged: bool) -> Outcome:
    """Check a certificate twice."""
    _, X, y = CASES[name]
    quick = nk.verify(text, _matrix(X), np.array(y))
    small = checker.check_arrays(text, X, y)
    if quick.valid != small.valid:
        said = f"fast: {quick.reason}; small: {small.reason}"
        return Outcome(DIFFERENT, f"{name}: the checkers disagree: {said}: {text[:300]}")
    if not quick.valid:
        return Outcome(REFUSED, quick.reason)
    changed = json.loads(text)
    same = any(changed == case.certificate for case in CASES.values())  # perhaps a donor, whole
    if forged and not same:
        same = as_json(concluded(changed, X, y)) == changed["figures"]
    return Outcome(EQUAL if same else DIFFERENT, f"{name}: taken: {text[:300]}")


def _matrix(X: Any) -> np.ndarray:
    """Rows as an array: of objects where they are Fractions."""
    exact = any(not isinstance(entry, (int, float)) for row in X for entry in row)
    return np.array(X, object if exact else float)
