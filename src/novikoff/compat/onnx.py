"""Linear readouts as ONNX files (extra `novikoff[onnx]`), for runtimes without Python."""

import os
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from novikoff.data.matrices import Classes
from novikoff.errors import ModelError, ParameterError
from novikoff.files import atomic_write
from novikoff.learning import rules
from novikoff.learning.estimators.base import BaseLearner
from novikoff.learning.estimators.online import PLUS_MINUS
from novikoff.learning.learner import Learner
from novikoff.learning.rules.protocol import Rule
from novikoff.version import __version__

OPSET, IR_VERSION = 17, 8  # ONNX 1.12 (2022): old enough for the runtimes in use
_FLOAT, _INT64, _DOUBLE = 1, 7, 11  # of onnx.TensorProto
_WINNOWS = rules.Winnow, rules.ComplementWinnow


def to_onnx(
    model: BaseLearner,
    path: str | os.PathLike[str],
    *,
    dtype: Literal["float64", "float32"] = "float64",
) -> None:
    """Write a fitted estimator as an ONNX model: from `X`, rows of numbers, to `label` and `score`.

    `label` is what `predict` returns, a string, an integer, a Boolean or a double; `score` is what
    the learners decide, of shape (rows,) for two classes, else (rows, classes). Weights and sums
    are doubles, so both are the model's own, except that the runtime adds the products in another
    order: scores differ in their last digits, and a label can differ where that changes the sign of
    a score, or which of two is larger.

    A rule whose readout is not linear is refused (the voted perceptron), and so are a pipeline and
    a model without rows yet. What `predict` refuses (NaN, infinity) the file does not notice.

    model: a fitted estimator.
    path: of the file.
    dtype: "float64"; with "float32" the rows are rounded to that before the runtime sees them, and
        no more, so rows that are such numbers already give the same labels.

    >>> import novikoff as nk
    >>> voted = nk.VotedPerceptron().fit([[1.0], [-1.0]], [1, 0])
    >>> nk.to_onnx(voted, "voted.onnx")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    novikoff.errors.ModelError: the rule Voted does not decide ...
    """
    if not isinstance(model, BaseLearner):
        raise ModelError(
            f"{type(model).__name__} is not an estimator of novikoff's; of a pipeline, export the"
            " last step, and the other steps with the library that they come from"
        )
    if dtype not in ("float64", "float32"):
        raise ParameterError(f"dtype must be 'float64' or 'float32', not {dtype!r}")
    check_is_fitted(model)
    try:
        from onnx import helper
    except ImportError:
        raise ModelError("ONNX files need the extra novikoff[onnx]: pip install onnx") from None
    with model._published() as view:
        _refuse_other_than_linear(view._learner.outputs()[0][0])
        graph = _Graph(view._learner, getattr(view, "classes_", PLUS_MINUS))
    made = helper.make_model(
        graph.finished(dtype),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="novikoff",
        producer_version=__version__,
    )
    atomic_write(path, made.SerializeToString(), error=ModelError)


def _refuse_other_than_linear(rule: Rule) -> None:
    rule = rule.inner if isinstance(rule, rules.Averaged) else rule
    kind = type(rule)
    if hasattr(kind, "decide") or (hasattr(kind, "score") and not isinstance(rule, _WINNOWS)):
        raise ModelError(
            f"the rule {kind.__name__} does not decide by the weighted sum of a row alone, and only"
            " that is written as ONNX (instead of the voted perceptron: AveragedPerceptron)"
        )


def _as_constant(classes: Classes) -> npt.NDArray[Any]:
    """The labels as ONNX has them; one that it has not is refused."""
    kinds = {"i": np.int64, "u": np.int64, "U": object}
    found = classes.astype(kinds.get(classes.dtype.kind, classes.dtype))
    if found.dtype == np.int64 and (found != classes).any():
        raise ModelError(f"the label {classes.max()} is too large for ONNX, whose labels are int64")
    if classes.dtype.kind == "U":
        try:
            "".join(classes).encode()
        except UnicodeEncodeError:
            raise ModelError("a label is not valid text, and cannot be written as ONNX") from None
    return found


class _Graph:
    """The operators from rows to labels, in the order in which they are made."""

    def __init__(self, learner: Learner, classes: Classes) -> None:
        self.learner, self.classes = learner, classes
        self.nodes: list[Any] = []
        self.constants: dict[str, npt.NDArray[Any]] = {}
        weights, intercepts = learner.linear()
        self.several, self.pair = len(weights) > 2, len(weights) == 2
        self.constant(weights=weights.T, intercepts=intercepts, zero=0.0)
        self.classify(self.weigh(self.scaled_row(self.add("Cast", "X", to=_DOUBLE))))

    def constant(self, **values: Any) -> None:
        self.constants |= {name: np.ascontiguousarray(each) for name, each in values.items()}

    def add(self, operator: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """One operator more; the name of what it gives."""
        from onnx import helper

        output = output or f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def scaled_row(self, row: str) -> tuple[str, str | None]:
        """The row as the rule sees it, and what it was multiplied by."""
        learner, scale = self.learner, None
        if learner.unit_length:
            self.constant(ones=np.ones((learner.features, 1)), bias=float(learner.bias), one=1.0)
            square = self.add("MatMul", self.add("Mul", row, row), "ones")
            square = self.add("Add", square, "bias")
            safe = self.add("Where", self.add("Greater", square, "zero"), square, "one")
            scale = self.add("Div", "one", self.add("Sqrt", safe))
            row = self.add("Mul", row, scale)
        if isinstance(learner.rule, _WINNOWS):
            self.constant(limit=learner.rule.binarize)
            row = self.add("Cast", self.add("Greater", row, "limit"), to=_DOUBLE)
        return row, scale

    def weigh(self, row_and_scale: tuple[str, str | None]) -> str:
        row, scale = row_and_scale
        products, intercepts = self.add("MatMul", row, "weights"), "intercepts"
        if scale is not None and self.learner.bias:
            intercepts = self.add("Mul", scale, intercepts)
        if self.several:
            return self.add("Add", products, intercepts, output="score")
        total = self.add("Add", products, intercepts)
        if self.pair:  # both classes have a score: the second against the first
            self.constant(difference=np.array([[-1.0], [1.0]]))
            total = self.add("MatMul", total, "difference")
        self.constant(flat=np.array([-1]))
        return self.add("Reshape", total, "flat", output="score")

    def classify(self, score: str) -> None:
        if self.several:
            code = self.add("ArgMax", score, axis=1, keepdims=0)
        else:
            above = "GreaterOrEqual" if self.learner.positive(0.0) else "Greater"
            code = self.add("Cast", self.add(above, score, "zero"), to=_INT64)
        self.constant(classes=_as_constant(self.classes))
        self.add("Gather", "classes", code, output="label")

    def finished(self, dtype: str) -> Any:
        from onnx import helper, numpy_helper

        used = {name for node in self.nodes for name in node.input}
        constants = [
            numpy_helper.from_array(each, name)
            for name, each in self.constants.items()
            if name in used
        ]
        label = next(each.data_type for each in constants if each.name == "classes")
        shape: list[str | int | None] = ["rows", len(self.classes)] if self.several else ["rows"]
        source = _DOUBLE if dtype == "float64" else _FLOAT
        value = helper.make_tensor_value_info
        outputs = [value("label", label, ["rows"]), value("score", _DOUBLE, shape)]
        inputs = [value("X", source, ["rows", self.learner.features])]
        return helper.make_graph(self.nodes, "novikoff", inputs, outputs, constants)
