"""A small generated web of many hosts with ground truth, served on 127.0.0.1, and its story."""

from blickfang.demo.serve import serve
from blickfang.demo.story import Story, run_story, serving
from blickfang.demo.web import DemoWeb, build_web

__all__ = ["DemoWeb", "Story", "build_web", "run_story", "serve", "serving"]
