"""Vowpal Wabbit's daemon, from the wheel: a line in, a prediction out, learned at once."""

import sys

import pylibvw
import vowpalwabbit

words = ["--daemon", "--foreground", "--quiet", "--num_children", "1", "--port", sys.argv[-1]]
pylibvw.vw.run_parser(vowpalwabbit.Workspace(arg_list=words))
