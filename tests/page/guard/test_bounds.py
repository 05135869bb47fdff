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


@pytest.mark.parametrize("kernels", ["tests.page.guard.bounds", "tests.page.bounds"])
def test_no_page_leads_beyond_an_array(kernels: str) -> None:
    plain = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    subprocess.run([sys.executable, "-m", kernels], env=plain, check=True)
