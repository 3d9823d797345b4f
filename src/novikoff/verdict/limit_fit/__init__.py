"""What can be estimated, and tested, where the likelihood has no maximum."""

from novikoff.verdict.limit_fit.fit import Estimate, Interval, LikelihoodRatio, LimitFit, limit_fit

__all__ = ["Estimate", "Interval", "LikelihoodRatio", "LimitFit", "limit_fit"]
