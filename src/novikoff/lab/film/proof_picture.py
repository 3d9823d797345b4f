"""The proof's picture in a film: the columns that are drawn at a step, and the words beside them.

See `report.charts.proof_plane`. Templates are filled in as those of `proof_lines`.
"""

from typing import Any

import numpy as np

from novikoff.lab.film.run import FilmRun, Numbers
from novikoff.report.charts.epochs import bound_text
from novikoff.report.charts.proof_plane import disc_radius, proof_plane
from novikoff.report.model import number

CAPTION = (
    "Along w* to the right, across it upwards: in any number of dimensions a vector is drawn by its"
    " length and its angle with w*, which are true. Of the step the part along w* is true, which is"
    " what the proof counts. The floor advances by ηγ at each update, the disc grows by less and"
    " less: the green part between them shrinks, and closes."
)
NO_TARGET = (
    "There is no w*, because these rows are not separable: nothing pushes a floor through the disc,"
    " and nothing ends the run."
)


def picture_columns(run: FilmRun) -> dict[str, Numbers]:
    """The picture's columns of a film; none where it has no such picture."""
    plane = proof_plane(run.trace)
    if plane is None:
        return {}
    reach = np.hypot(plane.along, plane.across)
    with np.errstate(invalid="ignore", divide="ignore"):
        turned, least = plane.along / reach, plane.floor / plane.radius
    return {
        "along": plane.along,
        "across": plane.across,
        "along_floor": plane.floor,
        "reach": reach,
        "disc": plane.radius,
        "turned": turned,
        "turned_floor": least,
    }


def picture_of(run: FilmRun) -> dict[str, Any] | None:
    """The words of the picture; None where it has none."""
    trace = run.trace
    if not run.steps or trace.rule in ("winnow", "passive-aggressive"):
        return None
    if trace.target is None:
        return {"problem": NO_TARGET}
    moved = bool(trace.start.any())
    w, before = ("w_{k} − w_0", "w_{k-1} − w_0") if moved else ("w_{k}", "w_{k-1}")
    noted = trace.rule == "one-sided"  # in the letters of its note
    radius, floor = ("√t", "t·g") if noted else (disc_radius(trace), "kηγ")
    cross = (trace.B or 0.0) / trace.A if trace.A else 0.0
    return {
        "problem": None,
        "caption": CAPTION,
        "bound": f"The green part closes at {'t' if noted else 'k'} = {number(cross)}: at most"
        f" {bound_text(trace.bound or 0)}.",
        "key": {
            "after": f"{w}, of length {{reach}}",
            "before": f"{before}, before",
            "step": "the step η·y·x̂" if trace.rule != "one-sided" else "the step x",
            "angle": "the angle: cosine {turned} ≥ {turned_floor}",
            "disc": f"the disc: {{reach}} ≤ {{disc}} = {radius}",
            "floor": f"the floor: {{along}} ≥ {{along_floor}} = {floor}, along w*",
        },
        "names": {"after": w, "before": before},
    }
