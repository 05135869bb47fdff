"""Kernels stay within their arrays: checked in a process where they are plain Python."""

import os
import subprocess
import sys

import numpy as np
import pytest

from tests.page.guard.bounds import Checked


@pytest.mark.parametrize("place", [-1, 3])
def test_a_wrong_index_is_refused(place: int) -> None:
    array = np.zeros(3, np.uint8).view(Checked)
    with pytest.raises(IndexError):
        array[place]
    with pytest.raises(IndexError):
        array[place] = 1


def test_no_page_leads_beyond_an_array() -> None:
    plain = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    subprocess.run([sys.executable, "-m", "tests.page.guard.bounds"], env=plain, check=True)
