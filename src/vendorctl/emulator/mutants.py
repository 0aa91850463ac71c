# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Mutants of a code object: copies in which one instruction was changed on purpose, so that tests must notice.

Random bit flips mostly hit what does not matter. These are aimed at what carries a result: arithmetic becomes its
opposite, a source or result is another register, a constant is doubled or negated, a barrier or a wait is gone. Left
alone are guards (comparisons of floats and the selections that follow them), which act on special values only and
often twice over; hints to the hardware; and waits for the arithmetic units, which order nothing that software sees.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from vendorctl.emulator.codeobject import CodeObject
from vendorctl.emulator.decoder import UndecodableError, decode, decode_at
from vendorctl.emulator.findings import StopRun
from vendorctl.emulator.instruction import EXEC, VECTOR, Instruction
from vendorctl.emulator.instruction_coverage import without_padding
from vendorctl.emulator.isa import Field, Format, isa
from vendorctl.emulator.program import compile_instruction, program
from vendorctl.emulator.registers import Context
from vendorctl.emulator.targets import Target, has_instruction
from vendorctl.errors import VendorError
from vendorctl.kernels.testing.mutation import Kind, Mutant

_NOP = struct.pack("<I", 0xBF800000)
_WAITS = ("s_waitcnt", "s_wait_")
_ARITHMETIC_WAITS = ("s_waitcnt_depctr", "s_wait_alu", "s_wait_idle")
_BARRIERS = ("s_barrier", "s_barrier_wait")
#: Constants of the compiler's expansions of exp, sqrt, division and rounding whose effect is undone by another term
#: (log2 e and its remainder), lies below every tolerance, or shows for denormals and NaN only.
_LIBRARY = frozenset({0x3FB8AA3B, 0x32A5705F, 0x00400000, 0x0F800000, 0x4F800000, 0x37800000, 0x80000000, 0x7FFF})
#: Expansions of the compiler: the start of the first mnemonic -> the start of the last, both without `v_` or `s_`.
_EXPANSIONS = {"div_scale": "div_fixup", "sqrt": "cmp_class"}
#: How far the end of an expansion, or the reader of a result, is looked for, in instructions.
_REACH = 48
_HIGH_WORDS = ("s_mul_hi_", "v_mul_hi_", "s_addc_")
_GUARDS = ("v_cmp", "v_cndmask", "v_div_", "v_bfe_u32", "s_cselect", "s_mov_b32", "s_cmp_lt_f", "s_cmp_n", "s_ashr_i32")
#: Part of a mnemonic -> what takes its place. The first that gives an instruction of the same encoding is used.
_OPPOSITES = (
    ("_add_", "_sub_"), ("_sub_", "_add_"), ("_subrev_", "_add_"), ("_mul_f", "_add_f"), ("_max_", "_min_"),
    ("_min_", "_max_"), ("_maximum_", "_minimum_"), ("_lshlrev_", "_lshrrev_"), ("_lshl_b", "_lshr_b"),
    ("_lshrrev_", "_lshlrev_"), ("_and_b", "_or_b"), ("_or_b", "_xor_b"), ("_exp_f", "_log_f"), ("_rcp_f", "_sqrt_f"),
    ("_rsq_f", "_rcp_f"), ("_sqrt_f", "_rcp_f"), ("_cvt_f32_f16", "_mov_b32"), ("_fmac_", "_add_"),
    ("_cmp_gt_u", "_cmp_lt_u"), ("_cmp_lt_u", "_cmp_gt_u"), ("_cmp_gt_i", "_cmp_lt_i"), ("_cmp_lt_i", "_cmp_gt_i"),
)  # fmt: skip
_FLOAT_SIGN, _FLOAT_DOUBLED = 0x80000000, 0x00800000
_ONE, _INFINITY, _MINUS_INFINITY = 0x3F800000, 0x7F800000, 0xFF800000
#: Source numbers of inline constants: integers from 0 to 64, floats from 0.5 to -4.
_ZERO, _LAST_INTEGER, _FIRST_FLOAT, _LAST_FLOAT = 128, 192, 240, 247

#: What a mutation offers: its kind, the new encoding, what it does.
_Change = tuple[Kind, bytes, str]


def mutants(data: bytes, covered: frozenset[int], per_kind: int, seed: int) -> list[Mutant]:
    """Up to `per_kind` mutants of each kind of the object `data`, chosen with `seed` among instructions in `covered`.

    An instruction that no test reaches cannot be tested; coverage tells of those. Raises VendorError when the object
    cannot be read.
    """
    code = CodeObject.parse(data)
    if data.count(code.text) != 1:
        raise VendorError("the object's instructions are not found once in its file")
    start = data.index(code.text) - code.text_address
    context = program(code, next(iter(code.kernels.values()))).context
    instructions = without_padding(decode(code.text, code.target.name, address=code.text_address))
    skipped = _corrections(instructions)
    reached = [item for item in instructions if item.address in covered and item.address not in skipped]
    chooser = random.Random(seed)  # noqa: S311  # reproducible, not secret
    chooser.shuffle(reached)
    first_access = min((item.address for item in instructions if _uses_lds(item)), default=0)
    found: dict[Kind, list[Mutant]] = {kind: [] for kind in Kind}
    for item in reached:
        offered: dict[Kind, list[_Change]] = {}
        for change in _changes(item, context):
            if change[0] is Kind.BARRIER and item.address < first_access:
                continue  # it orders nothing
            if len(found[change[0]]) < per_kind:
                offered.setdefault(change[0], []).append(change)
        for kind, choices in offered.items():
            _, encoding, what = chooser.choice(choices)
            at = start + item.address
            place = f"{item.address - code.text_address:#x} {item}"
            changed = data[:at] + encoding + data[at + len(encoding) :]
            found[kind].append(Mutant(kind=kind, place=place, change=what, code=changed))
    return [mutant for kind in Kind for mutant in found[kind]]


def _corrections(instructions: Sequence[Instruction]) -> set[int]:
    """Addresses of instructions that refine a result which is nearly right without them.

    The compiler's expansions: Newton steps of a division, from v_div_scale to v_div_fixup, and of a square root, up to
    its check for special values; rounding to a whole exponent, which cancels; the remainder added before v_exp.
    """
    found: set[int] = set()
    inside, start = "", 0
    for index, item in enumerate(instructions):
        name = item.mnemonic.removeprefix("v_s_").removeprefix("v_").removeprefix("s_")
        if name.startswith(tuple(_EXPANSIONS)):
            inside, start = next(end for first, end in _EXPANSIONS.items() if name.startswith(first)), index
        elif inside and (name.startswith(inside) or index > start + _REACH):
            inside = ""
        is_step = bool(inside) and name.startswith(("fma", "mul_f", "sqrt", "add_", "rcp"))
        if is_step or name.startswith("rndne") or (name.startswith("add_f32") and _feeds_exp(instructions, index)):
            found.add(item.address)
    return found


def _feeds_exp(instructions: Sequence[Instruction], index: int) -> bool:
    """Whether the next instruction that reads the result at `index` is an exponential."""
    result = instructions[index].operand("dst")
    if result is None:
        return False
    for item in instructions[index + 1 : index + 1 + _REACH]:
        if any(operand.number == result.number and operand.name != "dst" for operand in item.operands):
            return item.mnemonic.startswith("v_exp")
    return False


def _uses_lds(item: Instruction) -> bool:
    """Whether the instruction reads or writes LDS; permutations of lanes only look as if they did."""
    return item.format == "DS" and "permute" not in item.mnemonic and "swizzle" not in item.mnemonic


def _changes(item: Instruction, context: Context) -> Iterator[_Change]:
    """Every change of one instruction."""
    if item.mnemonic.startswith(_WAITS):
        if not item.mnemonic.startswith(_ARITHMETIC_WAITS):
            yield Kind.WAIT, _NOP * (item.size // 4), "the wait is dropped"
        return
    if item.mnemonic in _BARRIERS:
        yield Kind.BARRIER, _NOP * (item.size // 4), "the barrier is dropped"
        return
    if item.format == "SOPP":
        return
    if _is_guard(item):
        return
    yield from _opposites(item, context.target)
    yield from _other_registers(item, context)
    yield from _other_constants(item, context)


def _is_guard(item: Instruction) -> bool:
    """Whether the instruction acts on special values only, keeps lane masks, or makes a high word that is zero."""
    special = item.literal is not None and item.literal & ~_FLOAT_SIGN >= _INFINITY and item.literal != _MINUS_INFINITY
    masks = "saveexec" in item.mnemonic or any(operand.number == EXEC for operand in item.operands)
    known = item.mnemonic.startswith(_GUARDS) or item.literal in _LIBRARY or item.mnemonic.startswith(_HIGH_WORDS)
    return known or masks or (special and "_and_" not in item.mnemonic)


def _opposites(item: Instruction, target: Target) -> Iterator[_Change]:
    """The instruction with the opposite operation, in one half where it has two."""
    word = int.from_bytes(item.encoding.ljust(20, b"\0"), "little")
    encoding = isa(target.family).find(word)
    for place, mnemonic, table in _opcode_fields(encoding, item) if encoding is not None else ():
        numbers = {name: number for number, name in table.items()}
        wanted = next((name for name in _opposite_names(mnemonic) if name in numbers), None)
        if wanted is not None and has_instruction(target.name, wanted):
            changed = word & ~(((1 << place.width) - 1) << place.low) | numbers[wanted] << place.low
            yield Kind.OPCODE, changed.to_bytes(20, "little")[: item.size], f"{mnemonic} becomes {wanted}"


def _opcode_fields(encoding: Format, item: Instruction) -> Iterator[tuple[Field, str, dict[int, str]]]:
    """Each opcode field of an encoding, with its mnemonic and the mnemonics that it may hold."""
    if encoding.dual and item.dual is not None:
        for (place, halves), mnemonic in zip(encoding.dual, item.dual, strict=True):
            yield place, mnemonic, {number: opcode.mnemonic for number, opcode in halves.items()}
    elif encoding.opcode is not None:
        table = {number: opcode.mnemonic for number, opcode in encoding.opcodes.items()}
        yield encoding.opcode, item.mnemonic, table


def _opposite_names(mnemonic: str) -> Iterator[str]:
    yield from (mnemonic.replace(part, other, 1) for part, other in _OPPOSITES if part in mnemonic)


def _other_registers(item: Instruction, context: Context) -> Iterator[_Change]:
    """One register exchanged, so that the instruction reads or writes something else than before."""
    before = _uses(item, context)
    for encoding, changed in _flips(item, context.target, range(8 * item.size)):
        pairs = zip(item.operands, changed.operands, strict=True)
        differing = [(old, new) for old, new in pairs if old != new]
        if len(differing) != 1 or _but_operands(item, changed):
            continue
        old, new = differing[0]
        same_file = (old.number >= VECTOR) == (new.number >= VECTOR)
        plain = old.is_register and new.is_register and same_file and old.high == new.high and old.number != EXEC
        if plain and before is not None and _uses(changed, context) not in (None, before):
            yield Kind.REGISTER, encoding, f"becomes {changed}"


def _but_operands(item: Instruction, changed: Instruction) -> bool:
    """Whether something else than operands differs."""
    return replace(changed, operands=item.operands, encoding=item.encoding) != item


def _uses(item: Instruction, context: Context) -> tuple[int, int] | None:
    """What the instruction reads and writes, as bit sets; None when it cannot be executed."""
    try:
        step = compile_instruction(item, context)
    except StopRun:
        return None
    return step.reads, step.writes


def _other_constants(item: Instruction, context: Context) -> Iterator[_Change]:
    is_float = "_f32" in item.mnemonic or "_f16" in item.mnemonic
    if item.literal is not None and not item.mnemonic.startswith(("v_permlane", "s_mov_b32")):
        changed = _other_literal(item, item.literal)
        encoding = item.encoding[:-4] + struct.pack("<I", changed)
        yield Kind.LITERAL, encoding, f"{item.literal:#x} becomes {changed:#x}"
    if item.mnemonic.startswith(("v_mov", "s_mov", "v_and_b")) or item.dual is not None:
        return  # zeros, and masks of a lane number: one bit of them decides nothing
    # Bit 0 of an inline constant makes an integer one more or less, and negates a float.
    wanted: Callable[[int], bool] = _is_inline_float if is_float else _is_inline_integer
    for encoding, after in _flips(item, context.target, range(8 * item.size)):
        pairs = zip(item.operands, after.operands, strict=True)
        differing = [(old, new) for old, new in pairs if old != new]
        if len(differing) == 1 and not _but_operands(item, after):
            old, new = differing[0]
            if old.name != "src2" and wanted(old.number) and wanted(new.number) and abs(old.number - new.number) == 1:
                yield Kind.CONSTANT, encoding, f"becomes {after}"


def _other_literal(item: Instruction, value: int) -> int:
    """Twice the number; the complement of a mask; 1.0 in place of an infinity or a NaN."""
    if "_and_b" in item.mnemonic or "_or_b" in item.mnemonic or "_xor_b" in item.mnemonic:
        return value ^ 0xFFFFFFFF
    if value & ~_FLOAT_SIGN >= _INFINITY:
        return _ONE
    is_float = "_f32" in item.mnemonic or "_f16" in item.mnemonic
    return value + _FLOAT_DOUBLED if is_float else (value << 1 & 0xFFFFFFFF) or 1


def _is_inline_integer(number: int) -> bool:
    return _ZERO < number <= _LAST_INTEGER


def _is_inline_float(number: int) -> bool:
    return _FIRST_FLOAT <= number <= _LAST_FLOAT


def _flips(item: Instruction, target: Target, bits: range) -> Iterator[tuple[bytes, Instruction]]:
    """The instruction with each of `bits` flipped, where that is one of the same form."""
    for bit in bits:
        changed = bytearray(item.encoding)
        changed[bit // 8] ^= 1 << bit % 8
        try:
            after = decode_at(bytes(changed) + bytes(16), target, item.address)
        except UndecodableError:
            continue
        same_form = (after.size, after.format, after.mnemonic, after.extension, len(after.operands)) == (
            item.size, item.format, item.mnemonic, item.extension, len(item.operands)
        )  # fmt: skip
        if same_form:
            yield bytes(changed), after
