"""Crawls compared: an experiment is a matrix of webs, topics, ways and draws, and its result."""

from blickfang.lab.oracle import consult
from blickfang.lab.plan import load_plan
from blickfang.lab.running import run_experiment
from blickfang.lab.summary import compare
from blickfang.lab.truth import TopicTruth
from blickfang.lab.writing import tabulate, write_comparison

__all__ = [
    "TopicTruth",
    "compare",
    "consult",
    "load_plan",
    "run_experiment",
    "tabulate",
    "write_comparison",
]
