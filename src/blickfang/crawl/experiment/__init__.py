"""Crawls compared: an experiment is a matrix of webs, topics, ways and draws, and its result."""

from blickfang.crawl.experiment.experiment_plan import load_plan
from blickfang.crawl.experiment.experiment_runner import run_experiment
from blickfang.crawl.experiment.ground_truth import TopicTruth
from blickfang.crawl.experiment.oracle import consult
from blickfang.crawl.experiment.summarise import compare

__all__ = [
    "TopicTruth",
    "compare",
    "consult",
    "load_plan",
    "run_experiment",
]
