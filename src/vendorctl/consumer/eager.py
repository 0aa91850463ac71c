# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The import statements that importing a module runs, read from its syntax tree, with what they depend on."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from vendorctl.vendor.syntax import statements_in

#: Names whose handlers catch a missing module.
_CATCHING = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
#: What a test that asks for the platform mentions.
_PLATFORM = ("sys.platform", "os.name", "platform.", "sys.version_info", "sys.implementation", "os.uname")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One import at module level.

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
        return self.condition is not None and any(word in self.condition for word in _PLATFORM)


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


def _running(body: list[ast.stmt], setting: _Setting) -> Iterator[tuple[ast.Import | ast.ImportFrom, _Setting]]:
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node, setting
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        elif isinstance(node, ast.If):
            yield from _branches(node, setting)
        elif isinstance(node, ast.Try | ast.TryStar):
            yield from _attempts(node, setting)
        elif isinstance(node, ast.ClassDef | ast.With):
            yield from _running(node.body, setting)
        else:
            yield from _running(list(statements_in(node)), setting.under(f"line {node.lineno}"))


def _branches(node: ast.If, setting: _Setting) -> Iterator[tuple[ast.Import | ast.ImportFrom, _Setting]]:
    test = ast.unparse(node.test)
    if test.rpartition(".")[2] == "TYPE_CHECKING":
        yield from _running(node.orelse, setting)
        return
    yield from _running(node.body, setting.under(test))
    yield from _running(node.orelse, setting.under(f"not ({test})"))


def _attempts(node: ast.Try | ast.TryStar, setting: _Setting) -> Iterator[tuple[ast.Import | ast.ImportFrom, _Setting]]:
    """A handler guards the body, unless it raises again; handlers themselves run only on an error."""
    guarded = setting.guarded or any(_catches(handler) for handler in node.handlers)
    yield from _running(node.body, replace(setting, guarded=guarded))
    for handler in node.handlers:
        yield from _running(handler.body, setting.under(f"an exception at line {node.lineno}"))
    yield from _running(node.orelse, setting)
    yield from _running(node.finalbody, setting)


def _catches(handler: ast.ExceptHandler) -> bool:
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {ast.unparse(each).rpartition(".")[2] if each is not None else "BaseException" for each in caught}
    raises = any(isinstance(each, ast.Raise) for each in handler.body)
    return bool(names & _CATCHING) and not raises


def _statement(node: ast.Import | ast.ImportFrom, package: str, setting: _Setting) -> Statement:
    if isinstance(node, ast.Import):
        modules = tuple(alias.name for alias in node.names)
        binds = tuple(alias.asname or alias.name.partition(".")[0] for alias in node.names)
    else:
        source = _source(node, package)
        names = [alias.name for alias in node.names if alias.name != "*"]
        modules = (source, *(f"{source}.{name}" for name in names))
        binds = tuple(alias.asname or alias.name for alias in node.names)
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
