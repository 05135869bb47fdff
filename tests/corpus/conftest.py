"""One small corpus, written once, for tests that only read it."""

from pathlib import Path

import pytest

from blickfang.corpus import Corpus
from tests.corpus.samples import write_samples


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return write_samples(tmp_path_factory.mktemp("collection") / "corpus", 24)


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep libraries from asking the network, and their caches out of the home folder."""
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
