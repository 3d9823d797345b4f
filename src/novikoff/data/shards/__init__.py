"""A source cut into shards: consecutive rows each, described so that any process can read them.

    shards = cut(source, 8)
    chunks = [opened(shard).read() for shard in shards]   # anywhere, in any order

The shards in their order are exactly the rows of the source in its order. How they are cut depends
on the data and the number of shards alone, and but for the cuts nothing is read (`split_points`).
"""

from novikoff.data.shards.plan import TooManyShardsError, cut, open_shard
from novikoff.data.shards.source import CutError, ShardSource
from novikoff.data.source import Shard

__all__ = ["CutError", "Shard", "ShardSource", "TooManyShardsError", "cut", "open_shard"]
