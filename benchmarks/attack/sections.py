"""The sections of the attack, with the number of cases of each at scale 1."""

from collections.abc import Callable
from typing import NamedTuple

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


def models(settings: Settings, _: list[Tally]) -> list[Tally]:
    from benchmarks.attack.models import model_attack

    return _forked("models", settings, 6000, model_attack(settings.seed))


def pipelines(settings: Settings, _: list[Tally]) -> list[Tally]:
    from benchmarks.attack.pipelines import pipeline_attack

    return _forked("pipelines", settings, 5000, pipeline_attack(settings.seed))


def checkpoints(settings: Settings, _: list[Tally]) -> list[Tally]:
    from benchmarks.attack.models import checkpoint_attack

    return _forked("checkpoints", settings, 5000, checkpoint_attack(settings.seed))


def caches(settings: Settings, _: list[Tally]) -> list[Tally]:
    from benchmarks.attack.caches import CacheAttack

    return _forked("caches", settings, 5000, CacheAttack(settings.seed))


def certificates(settings: Settings, _: list[Tally]) -> list[Tally]:
    from benchmarks.attack.certificates import CertificateAttack

    return _forked("certificates", settings, 5000, CertificateAttack(settings.seed))


def arrays(settings: Settings, _: list[Tally]) -> list[Tally]:
    from benchmarks.attack.arrays import ArrayAttack

    return _forked("arrays", settings, 20_000, ArrayAttack(settings.seed))


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
    from benchmarks.attack.bounds import SECTIONS as CHECKED
    from benchmarks.attack.bounds import rerun_with_bounds_checks

    if not any(each.section in CHECKED for each in before):
        before = arrays(settings, []) + texts(settings, [])
    return [rerun_with_bounds_checks(before, settings.seed)]


def _forked(name: str, settings: Settings, full: int, attempt: Attempt) -> list[Tally]:
    return [run_cases(name, settings.cases(full), attempt)]


SECTIONS: dict[str, Section] = {
    "models": models,
    "pipelines": pipelines,
    "checkpoints": checkpoints,
    "caches": caches,
    "certificates": certificates,
    "arrays": arrays,
    "texts": texts,
    "bounds": bounds,
    "lab": lab,
    "kills": kills,
}
