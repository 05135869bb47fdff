"""python -m blickfang, and the command `blickfang`."""

import io
import signal
import sys


def main() -> None:
    """Run the command line; an interruption at any moment has its own exit code."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # end as cleanly as by Ctrl-C
    try:
        from blickfang.cli import app

        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # what no encoding can show is escaped
                stream.reconfigure(errors="backslashreplace")
        app(prog_name="blickfang")
    except KeyboardInterrupt:
        sys.exit(11)
    finally:
        # An interruption that came out of an `exec` (of a dataclass, of numba) is remembered by
        # Python, and `python -m` dies of it at the end after all. The next evaluation forgets it.
        eval("None")  # noqa: S307


if __name__ == "__main__":
    main()
