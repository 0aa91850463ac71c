# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""An interpreter of the pseudo-code in which AMD describes single instructions: the oracle of the differential tests.

It covers the expression language and if/elsif/else, for, declare and assignments to registers and their slices; what
it cannot read raises `Unreadable`, and the tests count that.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

_TOKEN = re.compile(
    r"\s*(0x[0-9a-fA-F]+(?:ULL|LL|U)?|\d+\.\d+F?|\d+(?:ULL|LL|U|F)?|[A-Za-z_]\w*|\|\||&&|>=|<=|==|!=|<>|>>|<<|\*\*"
    r"|[-+*/%<>&|^~!?:,.()\[\]{}'])"
)
_FLOATS: dict[int, tuple[Any, Any]] = {
    16: (np.float16, np.uint16),
    32: (np.float32, np.uint32),
    64: (np.float64, np.uint64),
}
_PRECEDENCE = (
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!=", "<>"), ("<", ">", "<=", ">="), ("<<", ">>"), ("+", "-"),
    ("*", "/", "%"), ("**",),
)  # fmt: skip


class Unreadable(Exception):  # noqa: N818  # not an error: the description uses something this interpreter lacks
    """The pseudo-code uses a construct or function that is not interpreted."""


class _Break(Exception):  # noqa: N818  # control flow of the description
    pass


class _Return(Exception):  # noqa: N818  # control flow of the description
    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


@dataclass(frozen=True, slots=True)
class Value:
    """A number: kind U, I or F, width in bits, and the number itself (a NumPy float for F)."""

    kind: str
    width: int
    number: Any

    @property
    def bits(self) -> int:
        if self.kind == "F":
            narrow, raw = _FLOATS[self.width]
            return int(np.asarray(narrow(self.number)).view(raw))
        return int(self.number) & ((1 << self.width) - 1)

    @property
    def value(self) -> Any:
        if self.kind == "F":
            return self.number
        bits = self.bits
        return bits - (1 << self.width) if self.kind == "I" and bits >> (self.width - 1) else bits

    @property
    def truth(self) -> bool:
        return bool(self.number != 0) if self.kind == "F" else self.bits != 0

    def viewed(self, kind: str, width: int) -> Value:
        """The same bits as another kind."""
        bits = self.bits & ((1 << width) - 1)
        if kind == "F":
            narrow, raw = _FLOATS[width]
            return Value("F", width, np.asarray(raw(bits)).view(narrow)[()])
        return Value("U" if kind == "B" else kind, width, bits)


def _fused(a: Any, b: Any, c: Any) -> Any:
    """a*b + c rounded once, by exact rational arithmetic."""
    kind = type(a)
    if not all(math.isfinite(float(x)) for x in (a, b, c)):
        return kind(float(a) * float(b) + float(c))
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    return _rounded(exact, kind) if exact else kind(float(a) * float(b) + float(c))


def _rounded(exact: Fraction, kind: Any) -> Any:
    digits, lowest = {np.float16: (11, -14), np.float32: (24, -126), np.float64: (53, -1022)}[kind]
    sign, size = (-1 if exact < 0 else 1), abs(exact)
    power = size.numerator.bit_length() - size.denominator.bit_length()
    power += (Fraction(2) ** (power + 1) <= size) - (Fraction(2) ** power > size)
    unit = Fraction(2) ** (max(power, lowest) - digits + 1)
    whole, rest = divmod(size / unit, 1)
    whole += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2)
    try:
        return kind(sign * math.ldexp(int(whole), max(power, lowest) - digits + 1))
    except OverflowError:
        return kind(sign * math.inf)


class Interpreter:
    """Runs one description on named values; results are in `names` afterwards."""

    def __init__(self, names: dict[str, Any], descriptions: Mapping[str, str] | None = None) -> None:
        self.names = names
        self.descriptions = descriptions or {}
        self._tokens: list[str] = []
        self._at = 0

    def run(self, text: str) -> None:
        self._block(_statements(text))

    # Statements

    def _block(self, lines: list[str]) -> None:
        at = 0
        while at < len(lines):
            line = lines[at]
            if line.startswith("if ") and line.endswith(" then"):
                at = self._conditional(lines, at)
            elif line.startswith("for "):
                at = self._loop(lines, at)
            else:
                self._simple(line)
                at += 1

    def _conditional(self, lines: list[str], start: int) -> int:
        depth, at = 1, start + 1
        branches: list[tuple[str | None, int]] = [(lines[start][3:-5], start + 1)]
        while True:
            if at >= len(lines):
                raise Unreadable("if without endif")
            line = lines[at]
            depth += line.startswith("if ") and line.endswith("then")
            depth -= line.startswith("endif")
            if depth == 0:
                break
            if depth == 1 and line.startswith("elsif "):
                branches.append((line[6:-5], at + 1))
            elif depth == 1 and line == "else":
                branches.append((None, at + 1))
            at += 1
        ends = [first - 1 for _, first in branches[1:]] + [at]
        for (condition, first), end in zip(branches, ends, strict=True):
            if condition is None or self.evaluate(condition).truth:
                self._block(lines[first:end])
                break
        return at + 1

    def _loop(self, lines: list[str], start: int) -> int:
        found = re.fullmatch(r"for (\w+) in (.+?) : (.+?) do", lines[start])
        if found is None:
            raise Unreadable(lines[start])
        depth, at = 1, start + 1
        while depth:
            depth += lines[at].startswith("for ")
            depth -= lines[at].startswith("endfor")
            at += 1
        for number in range(int(self.evaluate(found[2]).value), int(self.evaluate(found[3]).value) + 1):
            self.names[found[1]] = Value("I", 32, number)
            try:
                self._block(lines[start + 1 : at - 1])
            except _Break:
                break
        return at

    def _simple(self, line: str) -> None:
        if line == "break":
            raise _Break
        if line.startswith("return "):
            raise _Return(self.evaluate(line[7:]))
        if line.startswith("TRAPSTS."):
            return
        made = re.fullmatch(r"(\w+) = lambda\((.*?)\) \((.*)\)", line, re.DOTALL)
        if made:
            self.names[made[1]] = self._function([name.strip() for name in made[2].split(",")], made[3])
            return
        declared = re.fullmatch(r"declare (\w+) : (\d+)'(\w)(?:\[(\d+)\])?", line)
        if declared:
            zero = Value("U", int(declared[2]), 0)
            self.names[declared[1]] = [zero] * int(declared[4]) if declared[4] else zero
            return
        found = re.fullmatch(r"(.+?[^=<>!+-])([+-]?)=(?!=)(.+)", line, re.DOTALL)
        if found is None:
            raise Unreadable(line)
        target = found[1].strip()
        self._assign(target, self.evaluate(f"{target} {found[2]} ({found[3]})" if found[2] else found[3]))

    def _function(self, parameters: list[str], body: str) -> Callable[..., Value]:
        """A lambda of the description: one expression, or statements that return."""

        def function(*arguments: Value) -> Value:
            inner = Interpreter({**self.names, **dict(zip(parameters, arguments, strict=True))}, self.descriptions)
            if "return" not in body:
                return inner.evaluate(body)
            try:
                inner.run(body)
            except _Return as returned:
                return returned.value
            raise Unreadable("a function without a result")

        return function

    def _assign(self, target: str, value: Value) -> None:
        if target.startswith("{"):
            high, low = (part.strip() for part in target[1:-1].split(","))
            size = re.search(r"\.\w(\d+)$", low)
            if size is None:
                raise Unreadable(target)
            bits, width = value.bits, int(size[1])
            self._assign(low, Value("U", width, bits & ((1 << width) - 1)))
            self._assign(high, Value("U", 64, bits >> width))
            return
        found = re.fullmatch(r"(\w+)((?:\.\w+|\[[^\]]*\])*)", target)
        if found is None:
            raise Unreadable(target)
        name, parts = found[1], re.findall(r"\.\w+|\[[^\]]*\]", found[2])
        slices = [part[1:-1] for part in parts if part[0] == "["]
        types = [part[1:] for part in parts if part[0] == "."]
        old = self.names.get(name)
        if slices and slices[0].strip().startswith("laneId"):
            self.names[name] = Value("U", 64, int(value.truth))
        elif isinstance(old, list):
            self.names[name] = [value if at == self.evaluate(slices[0]).value else item for at, item in enumerate(old)]
        else:
            self._store(name, old, slices, _converted(value, types[-1]) if types else value)

    def _store(self, name: str, old: Value | None, slices: list[str], value: Value) -> None:
        if not slices:
            self.names[name] = value
            return
        bounds = [int(self.evaluate(part).value) for part in slices[0].split(":")]
        high, low = bounds[0], bounds[-1]
        width = max(old.width if old else 0, high + 1)
        mask = ((1 << (high - low + 1)) - 1) << low
        self.names[name] = Value("U", width, ((old.bits if old else 0) & ~mask) | ((value.bits << low) & mask))

    # Expressions

    def evaluate(self, text: str) -> Value:
        outer = self._tokens, self._at
        self._tokens, self._at = _tokenise(text), 0
        value = self._choice()
        if self._at != len(self._tokens):
            raise Unreadable(text)
        self._tokens, self._at = outer
        return value

    def _peek(self) -> str | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _next(self) -> str:
        if self._at >= len(self._tokens):
            raise Unreadable("the expression ends too early")
        self._at += 1
        return self._tokens[self._at - 1]

    def _expect(self, token: str) -> None:
        if self._next() != token:
            raise Unreadable(f"expected {token}")

    def _choice(self) -> Value:
        condition = self._binary(0)
        if self._peek() != "?":
            return condition
        self._next()
        yes = self._choice()
        self._expect(":")
        no = self._choice()
        return yes if condition.truth else no

    def _binary(self, level: int) -> Value:
        if level == len(_PRECEDENCE):
            return self._unary()
        left = self._binary(level + 1)
        while self._peek() in _PRECEDENCE[level]:
            operator = self._next()
            left = _operate(operator, left, self._binary(level + 1))
        return left

    def _unary(self) -> Value:
        token = self._peek()
        if token == "~":
            self._next()
            value = self._unary()
            return Value(value.kind, value.width, ~value.bits & ((1 << value.width) - 1))
        if token == "!":
            self._next()
            return Value("U", 1, int(not self._unary().truth))
        if token in ("-", "+"):
            self._next()
            value = self._unary()
            if token == "+":
                return value
            return (
                Value("F", value.width, -value.number) if value.kind == "F" else Value("I", value.width, -value.value)
            )
        return self._suffixed(self._primary())

    def _suffixed(self, value: Any) -> Value:
        while self._peek() in (".", "["):
            if self._next() == ".":
                name = self._next()
                found = re.fullmatch(r"(b?f|[iub])(\d+)", name)
                if found is None:
                    raise Unreadable(f".{name}")
                value = value.viewed("U" if found[1] == "bf" else found[1].upper(), int(found[2]))
                continue
            high = self._choice()
            if self._peek() == ":":
                self._next()
                low = self._choice()
                self._expect("]")
                value = _slice(value, int(high.value), int(low.value))
                continue
            self._expect("]")
            at = int(high.value)
            value = value[at] if isinstance(value, list) else Value("U", 1, (value.bits >> at) & 1)
        if not isinstance(value, Value):
            raise Unreadable("a list where a number is expected")
        return value

    def _primary(self) -> Any:
        token = self._next()
        if token == "(":
            value = self._choice()
            self._expect(")")
            return value
        if token == "{":
            high = self._choice()
            self._expect(",")
            low = self._choice()
            self._expect("}")
            return Value("U", high.width + low.width, (high.bits << low.width) | low.bits)
        if token[0].isdigit():
            return self._cast(int(token)) if self._peek() == "'" else _literal(token)
        if self._peek() == "(":
            return self._call(token)
        if token in self.names:
            return self.names[token]
        return self._constant(token)

    def _constant(self, token: str) -> Value:
        if token in ("WAVE_MODE", "OPSEL"):  # modes of the wave: not IEEE, lower halves
            self._expect(".")
            self._next()
            return Value("U", 4, 0)
        constants = {"INF": math.inf, "NAN": math.nan, "PI": math.pi}
        if token not in constants:
            raise Unreadable(token)
        size = 64
        if self._peek() == ".":
            self._next()
            size = int(self._next()[1:])
        return Value("F", size, _FLOATS[size][0](constants[token]))

    def _cast(self, width: int) -> Value:
        self._next()
        token = self._next()
        if token[0].isdigit():
            if "." in token:
                return Value("F", width, _FLOATS[width][0](float(token.rstrip("F"))))
            return Value(
                "U" if token.endswith("U") or token.startswith("0x") else "I", width, int(token.rstrip("UL"), 0)
            )
        self._expect("(")
        constant = (self._peek() or "").startswith(("0x", "{"))
        value = self._choice()
        self._expect(")")
        if token != "F":
            return Value("U" if token == "B" else token, width, int(value.value) & ((1 << width) - 1))
        if constant:  # a number written as its bits
            return value.viewed("F", width)
        return Value("F", width, _FLOATS[width][0](value.value))

    def _call(self, name: str) -> Value:
        self._expect("(")
        arguments = []
        while self._peek() != ")":
            arguments.append(self._choice())
            if self._peek() == ",":
                self._next()
        self._expect(")")
        function = self.names.get(name) or FUNCTIONS.get(name)
        if function is not None:
            result: Value = function(*arguments)
            return result
        if name not in self.descriptions:
            raise Unreadable(f"{name}()")
        inner = Interpreter({f"S{k}": argument for k, argument in enumerate(arguments)}, self.descriptions)
        inner.names["D0"] = Value("U", arguments[0].width, 0)
        inner.run(self.descriptions[name])
        return inner.names["D0"].viewed(arguments[0].kind, arguments[0].width)  # type: ignore[no-any-return]  # a Value


def _statements(text: str) -> list[str]:
    """The description's lines, with those joined that an open bracket joins."""
    joined: list[str] = []
    depth = 0
    for line in text.split("\n"):
        line = line.split("//")[0].strip()
        if depth:
            joined[-1] += "\n" + line
        elif line:
            joined.append(line)
        depth += sum(line.count(bracket) for bracket in "({[") - sum(line.count(bracket) for bracket in ")}]")
    return [line.rstrip(";").strip() for line in joined]


def _slice(value: Value, high: int, low: int) -> Value:
    if high < low:  # written the wrong way round: the bits in opposite order
        text = f"{value.bits:0{value.width}b}"
        return Value("U", low - high + 1, int(text[len(text) - 1 - low : len(text) - high][::-1], 2))
    return Value("U", high - low + 1, (value.bits >> low) & ((1 << (high - low + 1)) - 1))


def _tokenise(text: str) -> list[str]:
    tokens, at, text = [], 0, text.strip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise Unreadable(text[at : at + 20])
        tokens.append(found[1])
        at = found.end()
        while at < len(text) and text[at].isspace():
            at += 1
    return tokens


def _literal(token: str) -> Value:
    if "." in token:
        single = token.endswith("F")
        return Value("F", 32 if single else 64, (np.float32 if single else np.float64)(token.rstrip("F")))
    if token.endswith("F") and not token.startswith("0x"):
        return Value("F", 32, np.float32(token[:-1]))
    return Value(
        "U" if "U" in token or token.startswith("0x") else "I", 64 if "LL" in token else 32, int(token.rstrip("UL"), 0)
    )


def _converted(value: Value, type_name: str) -> Value:
    found = re.fullmatch(r"([fiub])(\d+)", type_name.replace("bf", "u"))
    if found is None:
        raise Unreadable(type_name)
    kind, width = found[1].upper(), int(found[2])
    if kind == "F":
        return value if (value.kind, value.width) == ("F", width) else Value("F", width, _FLOATS[width][0](value.value))
    return Value(
        "U" if kind == "B" else kind,
        width,
        (value.bits if value.kind == "F" else int(value.value)) & ((1 << width) - 1),
    )


_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<>": lambda a, b: a < b or a > b, "<": lambda a, b: a < b,
    ">": lambda a, b: a > b, "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b,
}  # fmt: skip
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": np.divide,
}  # fmt: skip


def _operate(operator: str, a: Value, b: Value) -> Value:
    if operator in ("||", "&&"):
        return Value("U", 1, int((a.truth or b.truth) if operator == "||" else (a.truth and b.truth)))
    if operator in _COMPARE:
        return Value("U", 1, int(bool(_COMPARE[operator](a.value, b.value))))
    if operator in ("<<", ">>"):
        count = int(b.value)
        return Value(
            a.kind, a.width, (a.value << count if operator == "<<" else a.value >> count) & ((1 << a.width) - 1)
        )
    if operator == "**":
        width = b.width if b.kind == "F" else 32
        return Value("F", width, _FLOATS[width][0](np.power(np.float64(2.0), np.float64(b.value))))
    if "F" in (a.kind, b.kind) and operator in _ARITHMETIC:
        width = max(item.width for item in (a, b) if item.kind == "F")
        kind = _FLOATS[width][0]
        with np.errstate(all="ignore"):
            return Value("F", width, kind(_ARITHMETIC[operator](kind(a.value), kind(b.value))))
    return _integers(operator, a, b)


def _integers(operator: str, a: Value, b: Value) -> Value:
    width = max(a.width, b.width)
    kind = "I" if a.kind == b.kind == "I" else a.kind if a.width >= b.width else b.kind
    arithmetic = operator in "+-*/%"
    x = a.value if arithmetic or a.kind == "I" else a.bits
    y = b.value if arithmetic or b.kind == "I" else b.bits
    table: dict[str, Callable[[], int]] = {
        "+": lambda: x + y, "-": lambda: x - y, "*": lambda: x * y, "/": lambda: x // y, "%": lambda: x % y,
        "&": lambda: x & y, "|": lambda: x | y, "^": lambda: x ^ y,
    }  # fmt: skip
    return Value(kind, width, int(table[operator]()) & ((1 << width) - 1))


def _is_nan(x: Value) -> bool:
    return bool(np.isnan(x.number))


def _quiet(x: Value) -> int:
    return x.bits >> {16: 9, 32: 22, 64: 51}[x.width] & 1


def _exponent(x: Value) -> Value:
    size, low = {16: (5, 10), 32: (8, 23), 64: (11, 52)}[x.width]
    return Value("I", 32, x.bits >> low & ((1 << size) - 1))


def _to_integer(kind: str, width: int) -> Callable[[Value], Value]:
    low, high = (0, (1 << width) - 1) if kind == "U" else (-(1 << (width - 1)), (1 << (width - 1)) - 1)

    def convert(x: Value) -> Value:
        if np.isnan(x.number):
            return Value(kind, width, 0)
        whole = math.trunc(float(x.number)) if math.isfinite(x.number) else (low if x.number < 0 else high)
        return Value(kind, width, min(max(whole, low), high) & ((1 << width) - 1))

    return convert


def _to_float(width: int) -> Callable[[Value], Value]:
    def convert(x: Value) -> Value:
        with np.errstate(all="ignore"):
            return Value("F", width, _FLOATS[width][0](x.value))

    return convert


def _resized(kind: str, width: int) -> Callable[[Value], Value]:
    """Integer to integer: saturating, as the packing conversions need it."""
    low, high = (0, (1 << width) - 1) if kind == "U" else (-(1 << (width - 1)), (1 << (width - 1)) - 1)
    return lambda x: Value(kind, width, min(max(x.viewed(kind, x.width).value, low), high) & ((1 << width) - 1))


def _normalised(low: int, high: int) -> Callable[[Value], Value]:
    def convert(x: Value) -> Value:
        number = 0.0 if np.isnan(x.number) else min(max(float(x.number), -1.0), 1.0)
        return Value("I", 16, max(low, min(high, round(number * high))) & 0xFFFF)

    return convert


def _nearest_bf16(x: Value) -> Value:
    bits = x.bits
    if np.isnan(x.number):
        return Value("U", 16, bits >> 16 | 0x40)
    rest, kept = bits & 0xFFFF, bits >> 16
    return Value("U", 16, kept + (rest > 0x8000 or (rest == 0x8000 and kept & 1)))


def _by_math(function: Callable[[Any], Any]) -> Callable[[Value], Value]:
    return lambda x: Value("F", x.width, _FLOATS[x.width][0](function(np.float64(x.number))))


def _sign_extended(x: Value, size: Value) -> Value:
    width, bits = int(size.value), x.bits
    if width == 0:
        return Value("I", x.width, 0)
    part = bits & ((1 << width) - 1)
    return Value("I", x.width, (part - (1 << width) if part >> (width - 1) else part) & ((1 << x.width) - 1))


FUNCTIONS: dict[str, Callable[..., Value]] = {
    "fma": lambda a, b, c: Value("F", a.width, _fused(a.number, b.number, c.number)),
    "isNAN": lambda x: Value("U", 1, int(_is_nan(x))),
    "isQuietNAN": lambda x: Value("U", 1, int(_is_nan(x) and _quiet(x))),
    "isSignalNAN": lambda x: Value("U", 1, int(_is_nan(x) and not _quiet(x))),
    "cvtToQuietNAN": lambda x: x,
    "sign": lambda x: Value("U", 1, x.bits >> (x.width - 1)),
    "exponent": _exponent,
    "abs": lambda x: Value("F", x.width, abs(x.number)) if x.kind == "F" else Value(x.kind, x.width, abs(x.value)),
    "floor": lambda x: Value("F", x.width, np.floor(x.number)),
    "trunc": lambda x: Value("F", x.width, np.trunc(x.number)),
    "sqrt": lambda x: Value("F", x.width, np.sqrt(x.number)),
    "signext": lambda x: Value("I", 64, x.value if x.kind == "I" else Value("I", x.width, x.bits).value),
    "signext_from_bit": _sign_extended,
    "mantissa": lambda x: Value("F", x.width, type(x.number)(math.frexp(x.number)[0])),
    "isEven": lambda x: Value("U", 1, int(math.isfinite(x.number) and x.number % 2 == 0)),
    "fract": lambda x: Value("F", x.width, x.number - np.floor(x.number)),
    "pow": lambda x, y: Value("F", y.width, _FLOATS[y.width][0](np.power(np.float64(x.number), np.float64(y.number)))),
    "log2": _by_math(np.log2),
    "bf16_to_f32": lambda x: Value("U", 32, x.bits << 16).viewed("F", 32),
    "f32_to_bf16": _nearest_bf16,
    **{f"f{width}_to_snorm": _normalised(-0x7FFF, 0x7FFF) for width in (16, 32)},
    **{f"f{width}_to_unorm": _normalised(0, 0xFFFF) for width in (16, 32)},
    **{
        f"{kind.lower()}{a}_to_{kind.lower()}{b}": _resized(kind, b)
        for kind in "UI" for a in (4, 8, 16, 32) for b in (16, 32)
    },
    "ldexp": lambda x, n: Value("F", x.width, np.ldexp(x.number, int(n.value))),
    **{f"{a}{b}_to_f{c}": _to_float(c) for a in "uif" for b in (8, 16, 32, 64) for c in (16, 32, 64)},
    **{
        f"f{b}_to_{kind.lower()}{c}": _to_integer(kind, c) for b in (16, 32, 64) for kind in "UI" for c in (8, 16, 32)
    },
}  # fmt: skip
