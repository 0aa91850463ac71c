# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The committed reference pages are what the code gives."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent.parent


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference", ROOT / "tools" / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["commands.md", "vendor-yaml.md", "rules.md", "exit-codes.md", "json.md"])
def test_the_committed_page_is_what_the_code_gives(name: str) -> None:
    committed = (ROOT / "docs" / "reference" / name).read_text("utf-8")
    assert committed == generator().pages()[name], "run `make docs`"


def test_a_rule_that_the_page_lacks_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    module = generator()
    before = module.pages()["rules.md"]
    monkeypatch.setattr(module, "RULES", {key: rule for key, rule in module.RULES.items() if key != "VC101"})
    assert module.pages()["rules.md"] != before
