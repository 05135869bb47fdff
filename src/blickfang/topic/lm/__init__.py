"""An n-gram language model: count, estimate, look up; on disk, and as ARPA."""

from blickfang.topic.lm.arpa import read_arpa, write_arpa
from blickfang.topic.lm.files import load_model, save_model
from blickfang.topic.lm.model import LanguageModel, perplexities, train_model

__all__ = [
    "LanguageModel",
    "load_model",
    "perplexities",
    "read_arpa",
    "save_model",
    "train_model",
    "write_arpa",
]
