"""The sections of the attack, with the number of cases of each at scale 1."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

from benchmarks.attack.children import Attempt, run_cases
from benchmarks.attack.tally import Tally


class Settings(NamedTuple):
    """How much to do, from which seed; case: only this one of each section."""

    scale: float
    seed: int
    case: int | None = None

    def cases(self, full: int) -> range:
        if self.case is not None:
            return range(self.case, self.case + 1)
        return range(max(1, round(full * self.scale)))


#: Called with the settings and what the sections before it found.
Section = Callable[[Settings, list[Tally]], list[Tally]]


#: What attacks each kind of input, by its module and name, and with how many cases at scale 1.
ATTACKS: dict[str, tuple[str, str, int]] = {
    "models": ("models", "model_attack", 6000),
    "pipelines": ("pipelines", "pipeline_attack", 5000),
    "checkpoints": ("models", "checkpoint_attack", 5000),
    "caches": ("caches", "CacheAttack", 5000),
    "certificates": ("certificates", "CertificateAttack", 5000),
    "arrays": ("arrays", "ArrayAttack", 20_000),
}


def attack_on(section: str, seed: int, **options: Any) -> Attempt:
    """The attack of a section, which is imported only now."""
    module, name, _ = ATTACKS[section]
    found: Attempt = getattr(import_module(f"benchmarks.attack.{module}"), name)(seed, **options)
    return found


def _forked(name: str, settings: Settings, _: list[Tally]) -> list[Tally]:
    cases = settings.cases(ATTACKS[name][2])
    return [run_cases(name, cases, attack_on(name, settings.seed))]


def texts(settings: Settings, _: list[Tally]) -> list[Tally]:
    from benchmarks.attack.texts import FORMATS, TextAttack

    tallies = []
    for kind in FORMATS:
        attack = TextAttack(kind, settings.seed)
        size = 10_000_000 * settings.scale
        cases = attack.cases(size) if settings.case is None else settings.cases(0)
        tallies.append(run_cases(kind, cases, attack))
        tallies[-1].figures["bytes"] = f"{sum(len(attack.text(case)[1]) for case in cases):,}"
    return tallies


def lab(settings: Settings, _: list[Tally]) -> list[Tally]:
    from benchmarks.attack.lab import attack_lab

    return [attack_lab(len(settings.cases(5000)), settings.seed)]


def kills(settings: Settings, _: list[Tally]) -> list[Tally]:
    from benchmarks.attack.kills import WAYS, attack_runs

    return [attack_runs(way, len(settings.cases(50)), settings.seed) for way in WAYS]


def bounds(settings: Settings, before: list[Tally]) -> list[Tally]:
    from benchmarks.attack.bounds import CHECKED, rerun_with_bounds_checks

    if not any(each.section in CHECKED for each in before):
        before = _forked("arrays", settings, []) + texts(settings, [])
    return [rerun_with_bounds_checks(before, settings.seed)]


SECTIONS: dict[str, Section] = {
    **{name: partial(_forked, name) for name in ATTACKS},
    "texts": texts,
    "bounds": bounds,
    "lab": lab,
    "kills": kills,
}
