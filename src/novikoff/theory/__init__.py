"""The notes' theorems as things that are computed: mistake bounds, traces, Cover's counts."""
