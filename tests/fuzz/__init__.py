"""The fuzz kit: bytes that nobody meant are given to everything that reads bytes of others.

`targets.py` says what is called, `mutating.py` grows inputs, `watching.py` judges what one of them
did, `child.py` is a process that runs inputs, `__main__.py` starts and watches such processes and
prints the table; `regressions/` holds every input that once did harm, replayed by `test_fuzz.py`.
"""
