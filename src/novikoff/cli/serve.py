"""`novikoff serve`: a model that predicts and learns over HTTP."""

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from novikoff.cli.shared import options
from novikoff.errors import ParameterError
from novikoff.number_text import count


def serve(
    model: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Start from this model.", dir_okay=False)
    ] = None,
    rule: Annotated[
        str | None, typer.Option(metavar="NAME", help="Start from nothing, and learn by this rule.")
    ] = None,
    classes: Annotated[
        str, typer.Option(help="With --rule: all labels that will ever come, as JSON.")
    ] = "[-1, 1]",
    param: options.ParamOption = None,
    bias: options.LearnBiasOption = None,
    unit_length: options.UnitLengthOption = False,
    journal: Annotated[Path, typer.Option(metavar="DIR", help="The folder of the journal.")] = Path(
        "novikoff-journal"
    ),
    host: Annotated[
        str, typer.Option(help="An address of this machine to serve at.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 for any free port.")] = 8642,
    readers: Annotated[
        int,
        typer.Option(
            min=0, max=64, metavar="N", help="Processes that only predict, and follow the journal."
        ),
    ] = 0,
    readers_port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="Their port, if not the next one."),
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Access tokens, one per line, each followed by what it permits: predict, learn"
            " (the default) or manage. Needed where others can reach the service.",
        ),
    ] = None,
    durability: Annotated[
        str,
        typer.Option(
            help="full: what is acknowledged is on the disk. normal: it survives kill -9, but a"
            " power cut can take the last moments."
        ),
    ] = "full",
    pending_for: Annotated[
        float, typer.Option(min=0.0, help="Days for which a prediction waits for its label.")
    ] = 30.0,
    rate: Annotated[
        float, typer.Option(min=0.0, help="Rows per second from one address; 0 for no limit.")
    ] = 0.0,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A name that requests may call it by; may be repeated."),
    ] = None,
    trust_proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS",
            help="A proxy whose X-Forwarded-For tells the client's address, for --rate and the log;"
            " may be repeated.",
        ),
    ] = None,
    tls_certificate: Annotated[Path | None, typer.Option(metavar="FILE", help="For https.")] = None,
    tls_key: Annotated[Path | None, typer.Option(metavar="FILE", help="For https.")] = None,
    log_requests: Annotated[
        bool, typer.Option("--log-requests", help="Log each request, as a line of JSON.")
    ] = False,
) -> None:
    """Serve a model that predicts, learns from labels that come later, and loses nothing.

    Runs until Ctrl-C or SIGTERM, for this machine alone unless told otherwise. Every label is in
    the journal before it is acknowledged; a restart goes on from there. docs/service.md walks
    through it. Needs Starlette and Uvicorn: pip install 'novikoff[serve]'.

    Example: novikoff serve --rule perceptron --journal spam
    """
    _require()
    from novikoff.serve.settings import DAY, Limits, ServiceSettings
    from novikoff.serve.web.guard import log_to_stderr
    from novikoff.serve.web.server import serve

    recipe, origin = _beginning(model, rule, classes, param or [], bias, unit_length)
    settings = ServiceSettings(
        journal=journal,
        host=host,
        port=port,
        readers=readers,
        readers_port=readers_port,
        durability=durability,
        pending_for=pending_for * DAY,
        token_file=token_file,
        hosts=tuple(allow_host or ()),
        proxies=tuple(trust_proxy or ()),
        log_requests=log_requests,
        tls_certificate=None if tls_certificate is None else str(tls_certificate),
        tls_key=None if tls_key is None else str(tls_key),
        limits=Limits(rate=rate),
    )
    log_to_stderr()

    def ready(url: str, readers: str | None, _: Callable[[], object]) -> None:
        also = f"\n{count(settings.readers, 'reader')} at {readers}" if readers else ""
        typer.echo(f"The service is at {url}{also}\nCtrl-C ends it.")
        sys.stdout.flush()

    serve(settings, recipe, origin, ready)


def _beginning(
    model: Path | None,
    rule: str | None,
    classes: str,
    words: list[str],
    bias: bool | None,
    unit_length: bool,
) -> tuple[dict[str, Any] | None, bytes | None]:
    """The recipe of a new journal's model, and the file that it begins with."""
    from novikoff.learning.rules import registry
    from novikoff.serve.recipes import make_recipe, recipe_of_file

    if model is not None and rule is not None:
        raise ParameterError("--model and --rule: a service begins with one of them")
    if model is not None:
        recipe = recipe_of_file(model)
        return recipe, model.read_bytes()
    if rule is None:
        return None, None
    parameters = options.as_parameters(words, registry.lookup(rule).parameters())
    try:
        labels = json.loads(classes)
    except ValueError:
        labels = None
    if not isinstance(labels, list):
        raise ParameterError(f'--classes {classes}: expected JSON such as ["ham", "spam"]')
    return make_recipe(rule, parameters, labels, bias, unit_length), None


def _require() -> None:
    for module in ("starlette", "uvicorn"):
        try:
            importlib.import_module(module)
        except ImportError as error:
            raise ParameterError(
                f"the service needs Starlette and Uvicorn, which cannot be loaded ({error}):"
                " pip install 'novikoff[serve]'"
            ) from None
