"""Conflicts among the rows of a run of learning, looked for at a limited cost."""

from novikoff.learning.inseparability import RowReader
from novikoff.verdict.conflict_finder.joint import JointConflictFinder
from novikoff.verdict.conflict_finder.one_against_rest import ConflictFinder


def conflict_finder(read: RowReader, joint: bool, lines: int) -> ConflictFinder:
    """What looks for a conflict of the rows, of several classes one by one or, if joint, together.

    lines: how many lines of weights the run has.
    """
    return JointConflictFinder(read, lines) if joint else ConflictFinder(read, lines)
