"""Web research on a person: `blickfang publications`. A question in, a study out."""

from blickfang.pipeline.researching.sources import ResearchQuestion, find_publications
from blickfang.pipeline.researching.tables import write_study

__all__ = ["ResearchQuestion", "find_publications", "write_study"]
