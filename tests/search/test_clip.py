"""CLIP is an extra: what is missing is said, and nothing is fetched."""

import importlib.util
import json
from pathlib import Path

import pytest

from blickfang.corpus import Corpus
from blickfang.corpus.search import SearchOptions, build_index, open_index, search_index
from blickfang.corpus.search.clip import Clip
from blickfang.errors import SettingsError

INSTALLED = importlib.util.find_spec("open_clip") is not None


def test_without_weights_nothing_is_fetched(tmp_path: Path, motifs: Corpus) -> None:
    options = SearchOptions(clip_model="ViT-B-32", clip_weights=str(tmp_path / "missing.pt"))
    with pytest.raises(SettingsError, match=r"no CLIP weights.*nothing is downloaded"):
        Clip(options)
    with pytest.raises(SettingsError, match="no CLIP weights"):
        build_index(motifs, tmp_path / "search", options)
    assert list((tmp_path / "search").iterdir()) == []


@pytest.mark.skipif(INSTALLED, reason="blickfang[clip] is installed")
def test_without_the_package_the_extra_is_named(tmp_path: Path) -> None:
    weights = tmp_path / "weights.pt"
    weights.write_bytes(b"")
    with pytest.raises(SettingsError, match=r"blickfang\[clip\]"):
        Clip(SearchOptions(clip_model="ViT-B-32", clip_weights=str(weights)))


@pytest.mark.skipif(not INSTALLED, reason="blickfang[clip] is not installed")
def test_tiny_random_weights(
    tmp_path: Path, motifs: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_clip = importlib.import_module("open_clip")
    torch = importlib.import_module("torch")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    tiny = {
        "embed_dim": 16,
        "vision_cfg": {"image_size": 32, "layers": 1, "width": 64, "patch_size": 16},
        "text_cfg": {
            "context_length": 77,
            "vocab_size": 49408,
            "width": 64,
            "heads": 1,
            "layers": 1,
        },
    }
    (tmp_path / "blickfang-tiny.json").write_text(json.dumps(tiny), encoding="utf-8")
    open_clip.add_model_config(tmp_path / "blickfang-tiny.json")
    torch.manual_seed(1)
    torch.save(open_clip.create_model("blickfang-tiny").state_dict(), tmp_path / "tiny.pt")
    options = SearchOptions(clip_model="blickfang-tiny", clip_weights=str(tmp_path / "tiny.pt"))
    build_index(motifs, tmp_path / "search", options)
    index = open_index(motifs, tmp_path / "search")
    name = index.ids[3].decode()
    found = search_index(index, image=motifs.image(name), ways=("clip",), limit=1)
    assert found[0].id == name
    assert found[0].parts["clip"] == pytest.approx(1, abs=1e-3)
    assert "clip" in search_index(index, "lion", limit=1)[0].parts
