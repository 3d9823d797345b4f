"""The package's exceptions. A message says what is wrong, where, and what to do about it."""


class NovikoffError(ValueError):
    """Any input that cannot be used as given. A ValueError, as callers of scikit-learn expect."""


class DataError(NovikoffError):
    """Rows or labels that cannot be learned from; the message names the place."""


class ParameterError(NovikoffError):
    """A parameter outside its range, or parameters that contradict each other."""


class UnknownParameterError(ParameterError, TypeError):
    """A parameter that an estimator does not have. A TypeError too, as for any function."""


class HypothesisError(ParameterError):
    """A bound outside its hypotheses; the message says which one fails, and where."""


class WriteError(NovikoffError):
    """A file that cannot be written; what was there before is untouched."""


class ModelError(NovikoffError):
    """A model file that is damaged, of another version, or not a model at all."""


class CertificateError(NovikoffError):
    """A certificate that is damaged, of another version, or not one at all."""


class ClusterError(NovikoffError):
    """A failure of a cluster: no worker, no scheduler, not enough memory."""


class InequalityError(ArithmeticError):
    """An inequality of a theorem that failed at some update: a defect, whatever the data."""
