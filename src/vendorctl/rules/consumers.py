# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""VC6xx: libraries that consume vendored kernels."""

from __future__ import annotations

from vendorctl.rules.rule import Rule

#: In numeric order.
CONSUMERS = (
    Rule(
        "VC601",
        "leaking-import",
        "Importing the package imports a module that has to be optional.",
        "Everyone who imports the library needs the toolchain then, also those who never use its kernels.",
        "Import it on first use: a module `__getattr__`, or an import inside the function; see the chain.",
    ),
    Rule(
        "VC602",
        "eager-import",
        "A statement that runs at import leads to an optional module, here or on another platform.",
        "The first leak hides the others, and a branch that this machine does not take is taken on another.",
        "Make the names lazy that the finding lists, or catch ImportError where the module is imported.",
    ),
    Rule(
        "VC603",
        "hard-dependency",
        "A distribution that has to be optional is among the project's dependencies.",
        "Every installation pulls in the toolchain, whatever extras were chosen.",
        "Move it from `dependencies` to an extra in `optional-dependencies`.",
    ),
    Rule(
        "VC604",
        "import-fails",
        "The package does not import, for another reason than the absent modules.",
        "Nothing can be said about its isolation.",
        "Install its other requirements, or name an interpreter that has them with `--python`.",
    ),
    Rule(
        "VC605",
        "public-names",
        "A public name is lost, or is listed no more, since imports were made lazy.",
        "Code of others that uses the name breaks at run time, not at import.",
        "Return the name from the module's `__getattr__`, and list it in `__dir__` and `__all__`.",
    ),
    Rule(
        "VC606",
        "early-plugin",
        "pytest imports the package before any test, as a plugin.",
        "Each pytest run in such an environment imports the package and what it leads to, in other projects too.",
        "Keep plugins in a package of their own.",
    ),
    Rule(
        "VC607",
        "not-absent",
        "A module that should be absent was loaded past the import system.",
        "The proof that the package does without it is worth little.",
        "Look for a .pth file or a loader that imports it, or run in another environment with `--python`.",
    ),
    Rule(
        "VC608",
        "tests-do-not-collect",
        "Tests cannot be collected while the optional modules are absent, or none were.",
        "The suite fails, or is silently empty, on every machine without the toolchain.",
        "Import the module inside the tests, or use `pytest.importorskip`.",
    ),
    Rule(
        "VC610",
        "guard-outdated",
        "A toolchain guard is not what VENDOR.yaml gives now, or was edited.",
        "It would accept a version or a target that the objects were not built for, or refuse a right one.",
        "Run `vendorctl guard FILE`.",
    ),
)
