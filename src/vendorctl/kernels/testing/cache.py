# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The per-user cache of test results: an object that was tested in this way before is not tested again.

The key covers everything that a result depends on: what the backend executes of the object, its launch plan, the
recipe's files, the instance, the sources of the tests themselves, the backend's version, NumPy's, and how much was
asked for. Damaged entries count as absent.
"""

from __future__ import annotations

import contextlib
import functools
import os
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

import vendorctl
from vendorctl import digest
from vendorctl.kernels.caching.cache import write_atomically
from vendorctl.kernels.object.manifest import ObjectRecord
from vendorctl.kernels.testing import results
from vendorctl.kernels.testing.results import ObjectResult
from vendorctl.model import Json


@functools.cache
def harness_version() -> str:
    """A digest of the sources that decide what is tested and how it is judged."""
    kernels = Path(vendorctl.__file__).parent / "kernels"
    return digest.of_sources(kernels, "object/instance.py", "object/launch.py", "recipe.py", "testing")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What tests of one operation have in common. `recipe` maps the recipe's files to their digests."""

    backend: str
    backend_version: str
    recipe: dict[str, str]
    full: bool

    def key(self, record: ObjectRecord, executed: str) -> str:
        """The key of one object's result; `executed` is its SHA-256, or the backend's identity of it."""
        facts: Json = {
            "harness": harness_version(),
            "numpy": version("numpy"),
            "backend": [self.backend, self.backend_version],
            "recipe": dict(self.recipe),
            "full": self.full,
            "instance": record.instance.row,
            "launch": record.launch.json(),
            "executed": executed,
        }
        return digest.sha256(digest.canonical_json(facts))


@dataclass(frozen=True, slots=True)
class ResultCache:
    """Results below `folder` (`tests` in the user's cache), which is created when the first is stored."""

    folder: Path

    def get(self, key: str, wanted: ObjectResult) -> ObjectResult | None:
        """The result stored under `key` as a result of the object `wanted`, or None.

        An object of another target that is executed in the same way may have stored it.
        """
        path = self._path(key)
        try:
            found = results.parse(digest.parse_json(path.read_bytes()))
        except OSError:
            return None
        except (ValueError, KeyError, TypeError, AttributeError):
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # the time of last use, by which `vendorctl cache clean` chooses
        return replace(found, target=wanted.target, sha256=wanted.sha256, reused=True)

    def learn(self, key: str, result: ObjectResult) -> None:
        """Keep a result; none of an object that was not tested in the end, or that gave two different ones.

        A cache that cannot be written is no reason to fail a test.
        """
        with contextlib.suppress(OSError):
            if result.trials:
                write_atomically(self._path(key), digest.canonical_json(results.dump(result)))
            else:
                self._path(key).unlink()

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"
