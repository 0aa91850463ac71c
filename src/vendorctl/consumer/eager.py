# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The import statements that importing a module runs, read from its syntax tree, with what they depend on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from vendorctl.vendor.syntax import statements_in

#: Names whose handlers catch a missing module.
_CATCHING = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
#: What a test that asks for the platform mentions; `self.platform` is something else.
_PLATFORM = re.compile(r"\bsys\.(platform|version_info|implementation)\b|\bos\.(name|uname)\b|(?<![\w.])platform\b")
_Import: TypeAlias = ast.Import | ast.ImportFrom


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One import at module level, or a call of ``import_module`` or ``__import__`` there that names its module.

    `modules` are the dotted names that it may load, all of them absolute; `binds` the names that it gives to the
    module's namespace. `condition` is the test that it stands below (None: it always runs); `guarded` says that a
    missing module is caught.
    """

    line: int
    modules: tuple[str, ...]
    binds: tuple[str, ...]
    condition: str | None = None
    guarded: bool = False

    @property
    def asks_platform(self) -> bool:
        """Whether the condition is about the machine or the interpreter, so that another one decides differently."""
        return self.condition is not None and _PLATFORM.search(self.condition) is not None

    def asks_for(self, module: str) -> bool:
        """Whether the condition is that a module, or the package that it is part of, can be found."""
        parts = module.split(".")
        names = [".".join(parts[:count]) for count in range(1, len(parts) + 1)]
        return self.condition is not None and any(f"find_spec({name!r})" in self.condition for name in names)


@dataclass(frozen=True, slots=True)
class _Setting:
    """What the statements of a block depend on."""

    condition: str | None = None
    guarded: bool = False

    def under(self, condition: str) -> _Setting:
        whole = condition if self.condition is None else f"{self.condition} and {condition}"
        return replace(self, condition=whole)


def eager_imports(module: ast.Module, name: str, *, is_package: bool) -> list[Statement]:
    """The imports that run when the module called `name` is imported, in the order of their lines.

    Bodies of functions do not run; neither does what stands below ``if TYPE_CHECKING:``.
    """
    package = name if is_package else name.rpartition(".")[0]
    found = [_statement(node, package, setting) for node, setting in _running(module.body, _Setting())]
    return sorted(found, key=lambda each: each.line)


def runs_never(test: ast.expr) -> bool:
    """Whether a test is ``TYPE_CHECKING``, under whatever name its module has: what stands below is for checkers."""
    return ast.unparse(test).rpartition(".")[2] == "TYPE_CHECKING"


def _running(body: list[ast.stmt], setting: _Setting) -> Iterator[tuple[_Import, _Setting]]:
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node, setting
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        elif isinstance(node, ast.If):
            yield from _branches(node, setting)
        elif isinstance(node, ast.Try | ast.TryStar):
            yield from _attempts(node, setting)
        elif isinstance(node, ast.ClassDef):
            yield from _running(node.body, setting)
        elif isinstance(node, ast.With):
            guarded = setting.guarded or any(_suppresses(item.context_expr) for item in node.items)
            yield from _running(node.body, replace(setting, guarded=guarded))
        elif inner := list(statements_in(node)):
            yield from _running(inner, setting.under(f"line {node.lineno}"))
        else:
            yield from ((call, setting) for call in _calls(node))


def _branches(node: ast.If, setting: _Setting) -> Iterator[tuple[_Import, _Setting]]:
    if runs_never(node.test):
        yield from _running(node.orelse, setting)
        return
    if isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not) and runs_never(node.test.operand):
        yield from _running(node.body, setting)
        return
    test = ast.unparse(node.test)
    yield from _running(node.body, setting.under(test))
    yield from _running(node.orelse, setting.under(f"not ({test})"))


def _attempts(node: ast.Try | ast.TryStar, setting: _Setting) -> Iterator[tuple[_Import, _Setting]]:
    """A handler guards the body, unless it raises again; handlers themselves run only on an error."""
    guarded = setting.guarded or any(_catches(handler) for handler in node.handlers)
    yield from _running(node.body, replace(setting, guarded=guarded))
    for handler in node.handlers:
        yield from _running(handler.body, setting.under(f"an exception at line {node.lineno}"))
    yield from _running(node.orelse, setting)
    yield from _running(node.finalbody, setting)


def _catches(handler: ast.ExceptHandler) -> bool:
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    raises = any(isinstance(each, ast.Raise) for each in handler.body)
    return any(each is None or _is_missing_module(each) for each in caught) and not raises


def _suppresses(context: ast.expr) -> bool:
    """Whether a context is ``suppress(ImportError)``."""
    return (
        isinstance(context, ast.Call)
        and ast.unparse(context.func).rpartition(".")[2] == "suppress"
        and any(map(_is_missing_module, context.args))
    )


def _is_missing_module(error: ast.expr) -> bool:
    return ast.unparse(error).rpartition(".")[2] in _CATCHING


def _calls(node: ast.stmt) -> Iterator[_Import]:
    """What a statement imports by calling ``import_module("name")`` or ``__import__("name")``, as import statements."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    bound = targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else None
    pending: list[ast.AST] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Call) and ast.unparse(part.func).rpartition(".")[2] in {"import_module", "__import__"}:
            name = part.args[0].value if part.args and isinstance(part.args[0], ast.Constant) else None
            if isinstance(name, str) and name.strip("."):
                yield _import_of(name, bound if isinstance(node, ast.Assign) and part is node.value else None, part)
        if not isinstance(part, ast.Lambda):
            pending += ast.iter_child_nodes(part)


def _import_of(name: str, bound: str | None, call: ast.Call) -> _Import:
    """The statement that imports what `call` does; leading dots of `name` are relative to the module's package."""
    module = name.lstrip(".")
    level = len(name) - len(module)
    if level:
        return ast.ImportFrom(module=module, names=[], level=level, lineno=call.lineno)
    return ast.Import(names=[ast.alias(name=name, asname=bound or "_")], lineno=call.lineno)


def _statement(node: _Import, package: str, setting: _Setting) -> Statement:
    if isinstance(node, ast.Import):
        modules = tuple(alias.name for alias in node.names)
        binds = tuple(alias.asname or alias.name.partition(".")[0] for alias in node.names)
    else:
        source = _source(node, package)
        names = [alias.name for alias in node.names if alias.name != "*"]
        modules = (source, *(f"{source}.{name}" for name in names))
        binds = tuple(alias.asname or alias.name for alias in node.names if alias.name != "*")
    return Statement(
        line=node.lineno, modules=modules, binds=binds, condition=setting.condition, guarded=setting.guarded
    )


def _source(node: ast.ImportFrom, package: str) -> str:
    """The absolute name of the module that names are taken from."""
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    base = parts[: len(parts) - node.level + 1]
    return ".".join([*base, *([node.module] if node.module else [])])
