"""Cases in forked processes, a batch in each: a process that dies is counted, and not the end.

When one dies, the cases of its batch run once more, each in a process of its own, to find the one.
"""

import contextlib
import json
import os
import random
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from benchmarks.attack.tally import CRASH, Outcome, Tally

BATCH = 100
PATIENCE = 120.0  # seconds without a word from a process, after which it hangs
UNIT = 1 if sys.platform == "darwin" else 1024  # of getrusage's memory

Attempt = Callable[[int], Outcome]


class Report(NamedTuple):
    """What a process says of one case."""

    case: int
    kind: str
    detail: str
    seconds: float
    peak: float


def run_cases(section: str, cases: Sequence[int], attempt: Attempt, batch: int = BATCH) -> Tally:
    """Attempt each of the cases, in processes that are forked from this one."""
    tally = Tally(section)
    for start in range(0, len(cases), batch):
        part = cases[start : start + batch]
        reports, death = _run_batch(part, attempt)
        if death is not None:
            reports = _run_one_by_one(part, attempt, reports, death)
        for report in reports:
            outcome = Outcome(report.kind, report.detail)
            tally.add(report.case, outcome, report.seconds, report.peak)
    return tally


def rng_for(section: str, seed: int, case: int) -> random.Random:
    """The random numbers of one case."""
    return random.Random(f"{section} {seed} {case}")


def _run_one_by_one(
    cases: Sequence[int], attempt: Attempt, before: list[Report], death: str
) -> list[Report]:
    reports = []
    for case in cases:
        found, ended = _run_batch([case], attempt)
        reports += found if ended is None else [Report(case, CRASH, ended, 0.0, 0.0)]
    if all(report.kind != CRASH for report in reports):  # it took more than one case
        last = cases[min(len(before), len(cases) - 1)]
        crash = Report(last, CRASH, f"{death}, after the cases before it only", 0.0, 0.0)
        reports = [crash if report.case == last else report for report in reports]
    return reports


def _run_batch(cases: Sequence[int], attempt: Attempt) -> tuple[list[Report], str | None]:
    """The reports of a process, and how it died if it did."""
    sys.stdout.flush()
    sys.stderr.flush()
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            os.close(reading)
            _attempt_all(cases, attempt, writing)
            code = 0
        finally:
            os._exit(code)  # whatever happens: the rest of the program is the parent's
    os.close(writing)
    reports = [Report(*json.loads(line)) for line in _lines(reading, child)]
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.close(reading)
    if code == 0:
        return reports, None
    name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    return reports, f"the process died: {name}"


def _lines(reading: int, child: int) -> Iterator[bytes]:
    """The lines that come through a pipe; a process that says nothing for long is killed."""
    rest = b""
    while True:
        if not select.select([reading], [], [], PATIENCE)[0]:
            os.kill(child, signal.SIGKILL)
        read = os.read(reading, 2**16)
        if not read:
            return
        *lines, rest = (rest + read).split(b"\n")
        yield from lines


def _attempt_all(cases: Sequence[int], attempt: Attempt, writing: int) -> None:
    """In the child: every case, and a line for each."""
    warnings.simplefilter("ignore")
    began = peak_memory()
    with contextlib.suppress(BrokenPipeError), os.fdopen(writing, "w") as file:
        for case in cases:
            before, start = peak_memory(), time.process_time()
            outcome = attempt(case)
            seconds, after = time.process_time() - start, peak_memory()
            rise = after - began if after > before else 0.0
            file.write(json.dumps(Report(case, *outcome, seconds, rise)) + "\n")
            file.flush()


def peak_memory() -> float:
    """The most memory, in MB, that this process has had."""
    import resource  # not everywhere

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * UNIT / 2**20
