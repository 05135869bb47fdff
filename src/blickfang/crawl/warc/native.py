"""The packers of FastWARC, without the warning that importing it gives about its own old names."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from fastwarc.stream_io import GzipWriter, Lz4Reader, ZstdReader

__all__ = ["GzipWriter", "Lz4Reader", "ZstdReader"]
