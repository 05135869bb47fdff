"""Texts in, a Topic out: what the user is looking for."""

from blickfang.text.keywords import Keyword
from blickfang.text.topic import Topic, TopicOptions, learn_topic, load_topic, save_topic

__all__ = ["Keyword", "Topic", "TopicOptions", "learn_topic", "load_topic", "save_topic"]
