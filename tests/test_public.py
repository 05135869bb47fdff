"""What people import: `from blickfang import …`."""

from pathlib import Path

import pytest

import blickfang


def test_public_names_exist_and_are_no_modules() -> None:
    package = Path(blickfang.__file__).parent
    for name in blickfang.__all__:
        assert not (package / name).exists()
        assert not (package / f"{name}.py").exists()
        assert getattr(blickfang, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        _ = blickfang.nonsense
