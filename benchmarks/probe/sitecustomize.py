"""A look into processes that know nothing of it: how many tasks and objects each holds.

In: the folder named by SOAK_PROBE; PYTHONPATH leads here, so that Python loads this file before
anything else. Out: FOLDER/PID, a line "tasks objects" written anew every so many seconds.
"""

import asyncio
import gc
import os
import threading
import time
from pathlib import Path

EVERY_S = 30.0  # a look takes some hundredths of a second


def look(path: Path) -> None:
    """Count again and again."""
    while True:
        time.sleep(EVERY_S)
        objects = gc.get_objects()
        tasks = sum(isinstance(one, asyncio.Task) and not one.done() for one in objects)
        count = len(objects)
        del objects
        fresh = path.with_suffix(".new")  # whoever reads it in between finds the last line
        fresh.write_text(f"{tasks} {count}", encoding="ascii")
        fresh.replace(path)


if "SOAK_PROBE" in os.environ:
    place = Path(os.environ["SOAK_PROBE"]) / str(os.getpid())
    threading.Thread(target=look, args=(place,), daemon=True).start()
