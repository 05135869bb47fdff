"""Speed and memory, as ratios against named peers in one run: `make bench`."""
