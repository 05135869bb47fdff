"""python -m blickfang, and the command `blickfang`."""

from blickfang.cli import app


def main() -> None:
    """Run the command line."""
    app(prog_name="blickfang")


if __name__ == "__main__":
    main()
