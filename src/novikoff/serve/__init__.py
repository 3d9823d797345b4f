"""The online protocol as a service: predict, see the label later, learn, and lose nothing.

Every label is in a journal before it is acknowledged, in the order in which it is learned from, so
that a restarted service and a replay have the bytes of a run of `learn_one` over the journal.
"""
