"""The journal of a service: what is written to it, how many writes share a commit, and the file."""

from novikoff.serve.journal.group_commit import GroupCommit
from novikoff.serve.journal.journal import FILE, Journal, JournalError, ModelRecord

__all__ = ["FILE", "GroupCommit", "Journal", "JournalError", "ModelRecord"]
