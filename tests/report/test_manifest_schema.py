# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The schema of VENDOR.yaml knows what the parser knows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # ships no types
import pytest
import yaml

from support.command import call
from vendorctl.errors import VendorError
from vendorctl.report.manifest_schema import manifest_schema
from vendorctl.workspace.parse import parse_manifest
from vendorctl.workspace.schema import SCHEMA

ROOT = Path(__file__).parent.parent.parent
EXAMPLE = re.search(r"```yaml\n(version: 1\n.*?)```", (ROOT / "docs/reference/vendor-yaml.md").read_text("utf-8"), re.S)
SMALL = """\
version: 1
upstreams:
  up:
    url: ../up.git
    pin: 0123456789abcdef0123456789abcdef01234567
    include: ["**"]
"""


def faults(text: str) -> list[str]:
    validator = jsonschema.Draft202012Validator(manifest_schema())
    return [error.message for error in validator.iter_errors(yaml.safe_load(text))]


def test_it_is_a_schema_and_the_command_prints_it() -> None:
    jsonschema.Draft202012Validator.check_schema(manifest_schema())
    assert json.loads(call("schema", "VENDOR.yaml").out) == manifest_schema()
    assert "VENDOR.yaml" in call("schema").out


def test_every_key_is_there_with_its_meaning() -> None:
    def descriptions(value: Any) -> set[str]:
        if isinstance(value, list):
            return {text for each in value for text in descriptions(each)}
        if not isinstance(value, dict):
            return set()
        own = {each["description"] for each in value.get("properties", {}).values()}
        return own | {text for each in value.values() for text in descriptions(each)}

    assert descriptions(manifest_schema()) == {key.doc for key in SCHEMA}


@pytest.mark.parametrize("name", ["VENDOR.yaml", "examples/rowkernels/VENDOR.yaml"])
def test_our_own_files_fit(name: str) -> None:
    assert faults((ROOT / name).read_text("utf-8")) == []


def test_the_example_with_every_key_fits() -> None:
    assert EXAMPLE is not None
    assert faults(EXAMPLE[1]) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("url:", "ulr:"),
        ("    pin: 0123456789abcdef0123456789abcdef01234567\n", ""),
        ('["**"]', "{}"),
        ("version: 1", "version: one"),
        ("upstreams:", "upstream:"),
    ],
)
def test_what_the_schema_refuses_the_parser_refuses(old: str, new: str) -> None:
    assert faults(SMALL) == []
    parse_manifest(SMALL)
    wrong = SMALL.replace(old, new)
    assert faults(wrong) != []
    with pytest.raises(VendorError):
        parse_manifest(wrong)
