"""Workers: connections, the placement of shards, calls on them and retries."""
