"""`novikoff replay`: the model of a service, from its journal alone."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from novikoff.cli.shared import options
from novikoff.cli.shared.text import json_text
from novikoff.errors import ParameterError
from novikoff.number_text import count

if TYPE_CHECKING:
    from novikoff.serve.served_model import ServedModel


def replay(
    journal: Annotated[Path, typer.Argument(metavar="JOURNAL", help="The folder of a journal.")],
    name: Annotated[str, typer.Option(help="Which of its models.")] = "default",
    until: Annotated[
        str | None, typer.Option(metavar="TIME", help="Leave out later labels: 2026-05-01T12:00.")
    ] = None,
    labels: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Learn from the first N labels only.")
    ] = None,
    rule: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Try this rule on the same labels; may be repeated."),
    ] = None,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the model there.")
    ] = None,
    json: options.JsonOption = False,
) -> None:
    """Learn again from a journal: the same bytes that the service had, at any time of its life.

    The service may be running meanwhile.

    Example: novikoff replay novikoff-journal --rule averaged --save then.model
    """
    from novikoff.files import atomic_write
    from novikoff.learning.estimators.save_load import to_bytes
    from novikoff.serve.replay import compacted_labels, moment, written
    from novikoff.serve.replay import replay as run

    end = None if until is None else moment(until)
    found = run(journal, name, until=end, labels=labels, rules=rule or [])
    if save is not None:
        if not found.model.is_fitted:
            raise ParameterError(f"--save {save}: the journal has no label to learn from")
        atomic_write(save, to_bytes(found.estimator))
    if json:
        tried = {each: _facts(other) for each, other in found.backtests.items()}
        times = {"first": found.first, "last": found.last}
        typer.echo(json_text(_facts(found.model) | times | {"backtests": tried}))
        return
    typer.echo(_line(found.model, "served"))
    for other in found.backtests.values():
        typer.echo(_line(other, "would have made"))
    known = compacted_labels(found.model.record)
    if found.backtests and known:
        made = found.model.counts.mistakes - (found.model.record.counters or {})["mistakes"]
        typer.echo(
            f"  other rules begin after {count(known, 'label')} whose rows were compacted; since"
            f" then, {count(made, 'mistake')} served"
        )
    if found.first is not None and found.last is not None:
        typer.echo(f"  from {written(found.first)} to {written(found.last)}")


def _facts(model: "ServedModel") -> dict[str, Any]:
    counts = model.counts
    seen = {"rule": model.record.recipe["rule"], "seen": counts.seen, "mistakes": counts.mistakes}
    moved = {"updates": model.updates, "majority_mistakes": counts.majority}
    return seen | moved | {"refused": counts.refused}


def _line(model: "ServedModel", verb: str) -> str:
    counts = model.counts
    mistakes = count(counts.mistakes, "mistake")
    line = f"{model.record.recipe['rule']}: {count(counts.seen, 'label')}, {verb} {mistakes}"
    if not counts.refused:
        return line
    others = count(counts.refused, "other label")
    return f"{line}\n  {others} it could not learn from: {model.refusal}"
