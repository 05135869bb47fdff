"""Thirty-two bytes at once: which of them are signs that a kernel looks for.

In: an array of bytes and a place in it. Out: where the next of some signs stands; or a copy of all
before it. A kernel that looks at one byte at a time spends half of its time on values and texts in
which there is nothing to see. docs/design.md, "Kernels".
"""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, inlined

Bytes = NDArray[np.uint8]
P = ParamSpec("P")
R = TypeVar("R")
Signs = tuple[Integer, ...]

LANES = 32
EIGHT = 8
ALL_BITS = 2**64 - 1  # of a number, also of one below 0
VECTOR = ir.VectorType(ir.IntType(8), LANES)


def _written_as(emit: Callable[..., Any]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Have kernels do by instructions of the processor what a plain function says.

    Where numba must not compile, the plain function itself is used: there indices are checked.
    """

    def choose(plain: Callable[P, R]) -> Callable[P, R]:
        written: Callable[P, R] = intrinsic(emit)
        return plain if numba.config.DISABLE_JIT else written  # type: ignore[attr-defined]

    return choose


def _point(context: Any, builder: Any, kind: Any, array: Any, place: Any) -> Any:
    """Return the address of so many bytes of an array."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [place]), ir.PointerType(VECTOR))


def _emit_match(_: Any, data: Any, _i: Any, signs: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        found = builder.load(_point(context, builder, signature.args[0], *given[:2]), align=1)
        equal = ir.Constant(ir.VectorType(ir.IntType(1), LANES), None)
        for place in range(len(signs)):
            byte = builder.trunc(builder.extract_value(given[2], place), ir.IntType(8))
            one = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), byte, ir.IntType(32)(0))
            order = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
            all_of_them = builder.shuffle_vector(one, ir.Constant(VECTOR, ir.Undefined), order)
            equal = builder.or_(equal, builder.icmp_unsigned("==", found, all_of_them))
        bits = builder.bitcast(equal, ir.IntType(LANES))
        return builder.zext(bits, ir.IntType(64))

    return types.int64(data, types.intp, signs), emit


def _emit_copy(_: Any, out: Any, _at: Any, data: Any, _i: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        source = _point(context, builder, signature.args[2], *given[2:])
        target = _point(context, builder, signature.args[0], *given[:2])
        builder.store(builder.load(source, align=1), target, align=1)
        return context.get_dummy_value()

    return types.void(out, types.intp, data, types.intp), emit


def _emit_copy_small(_: Any, out: Any, _at: Any, data: Any, _i: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        def all_are(byte: int) -> Any:
            return ir.Constant(VECTOR, [byte] * LANES)

        found = builder.load(_point(context, builder, signature.args[2], *given[2:]), align=1)
        capital = builder.icmp_unsigned("<", builder.sub(found, all_are(ord("A"))), all_are(26))
        small = builder.select(capital, builder.or_(found, all_are(32)), found)
        builder.store(small, _point(context, builder, signature.args[0], *given[:2]), align=1)
        return context.get_dummy_value()

    return types.void(out, types.intp, data, types.intp), emit


def _emit_match_high(_: Any, data: Any, _i: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        found = builder.load(_point(context, builder, signature.args[0], *given), align=1)
        high = builder.icmp_signed("<", found, ir.Constant(VECTOR, None))
        return builder.zext(builder.bitcast(high, ir.IntType(LANES)), ir.IntType(64))

    return types.int64(data, types.intp), emit


def _emit_match_between(_: Any, data: Any, _i: Any, low: Any, high: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        def all_are(byte: int) -> Any:
            return ir.Constant(VECTOR, [byte] * LANES)

        found = builder.load(_point(context, builder, signature.args[0], *given[:2]), align=1)
        above = builder.sub(found, all_are(low.literal_value))
        between = builder.icmp_unsigned(
            "<=", above, all_are(high.literal_value - low.literal_value)
        )
        return builder.zext(builder.bitcast(between, ir.IntType(LANES)), ir.IntType(64))

    if not isinstance(low, types.IntegerLiteral) or not isinstance(high, types.IntegerLiteral):
        return None
    return types.int64(data, types.intp, low, high), emit


def _emit_load(_: Any, data: Any, _i: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        place = _point(context, builder, signature.args[0], *given)
        return builder.load(builder.bitcast(place, ir.PointerType(ir.IntType(64))), align=1)

    return types.uint64(data, types.intp), emit


def _emit_last(_: Any, _bits: Any) -> Any:
    def emit(_: Any, builder: Any, __: Any, given: Any) -> Any:
        above = builder.ctlz(given[0], ir.Constant(ir.IntType(1), 0))
        return builder.sub(ir.Constant(ir.IntType(64), 63), above)

    return types.int64(types.int64), emit


def _emit_count(_: Any, _bits: Any) -> Any:
    def emit(_: Any, builder: Any, __: Any, given: Any) -> Any:
        return builder.ctpop(given[0])

    return types.int64(types.int64), emit


def _emit_first(_: Any, _bits: Any) -> Any:
    def emit(_: Any, builder: Any, __: Any, given: Any) -> Any:
        return builder.cttz(given[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), emit


@_written_as(_emit_match)
def match(data: Bytes, i: Integer, signs: Signs) -> int:
    """Return which of the bytes here are one of some signs, a bit each."""
    return sum(1 << k for k in range(LANES) if int(data[i + k]) in signs)


@_written_as(_emit_match_high)
def match_high(data: Bytes, i: Integer) -> int:
    """Return which of the bytes here are beyond ASCII, a bit each."""
    return sum(1 << k for k in range(LANES) if data[i + k] > 0x7F)


@_written_as(_emit_match_between)
def match_between(data: Bytes, i: Integer, low: int, high: int) -> int:
    """Return which of the bytes here lie between two, a bit each."""
    return sum(1 << k for k in range(LANES) if low <= data[i + k] <= high)


@_written_as(_emit_copy)
def copy(out: Bytes, at: Integer, data: Bytes, i: Integer) -> None:
    """Copy as many bytes."""
    for k in range(LANES):
        out[at + k] = data[i + k]


@_written_as(_emit_copy_small)
def copy_small(out: Bytes, at: Integer, data: Bytes, i: Integer) -> None:
    """Copy as many bytes, capital letters of ASCII as small ones."""
    for k in range(LANES):
        byte = data[i + k]
        out[at + k] = byte | 32 if ord("A") <= byte <= ord("Z") else byte


@_written_as(_emit_first)
def first(bits: Integer) -> int:
    """Return the number of the lowest bit that is set."""
    return (int(bits) & -int(bits)).bit_length() - 1


@_written_as(_emit_last)
def last(bits: Integer) -> int:
    """Return the number of the highest bit that is set."""
    return int(bits).bit_length() - 1


@_written_as(_emit_count)
def count(bits: Integer) -> int:
    """Return how many bits are set."""
    return (int(bits) & ALL_BITS).bit_count()


@_written_as(_emit_load)
def load(data: Bytes, i: Integer) -> np.uint64:
    """Return eight bytes as one number, the first one lowest."""
    return np.uint64(sum(int(data[i + k]) << 8 * k for k in range(EIGHT)))


@inlined
def is_sign(byte: Integer, signs: Signs) -> bool:
    """Whether a byte is one of some signs."""
    found = False
    for sign in signs:
        found |= byte == sign
    return found


@inlined
def find_sign(data: Bytes, i: Integer, signs: Signs) -> Integer:
    """Return where the next of some signs stands, or the end of all bytes."""
    n = len(data)
    while i + LANES <= n:
        found = match(data, i, signs)
        if found:
            return i + first(found)
        i += LANES
    while i < n and not is_sign(data[np.uint64(i)], signs):
        i += 1
    return i


@inlined
def copy_plain(
    data: Bytes, i: Integer, end: Integer, out: Bytes, at: Integer, signs: Signs
) -> Integer:
    """Copy what stands before the next of some signs, or an end; return that place.

    Some bytes behind may be written, too: `out` has room for LANES more.
    """
    n = len(data)
    while i < end and i + LANES <= n:
        copy(out, at, data, i)
        found = match(data, i, signs)
        if found or end - i < LANES:
            return min(i + first(found | 1 << LANES), end)
        i += LANES
        at += LANES
    while i < end and not is_sign(data[np.uint64(i)], signs):
        out[np.uint64(at)] = data[np.uint64(i)]
        i += 1
        at += 1
    return i
