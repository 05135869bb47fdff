"""An n-gram language model: count, estimate, look up; on disk, and as ARPA."""

from blickfang.text.lm.arpa import read_arpa, write_arpa
from blickfang.text.lm.language_model import LanguageModel, perplexities, train_model
from blickfang.text.lm.model_file import load_model, save_model

__all__ = [
    "LanguageModel",
    "load_model",
    "perplexities",
    "read_arpa",
    "save_model",
    "train_model",
    "write_arpa",
]
