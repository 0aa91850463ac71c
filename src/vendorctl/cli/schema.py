# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl schema`: the JSON schemas of what vendorctl writes, offline."""

from __future__ import annotations

import json

import click

from vendorctl.cli.group import nearest
from vendorctl.cli.output import emit
from vendorctl.cli.session import options
from vendorctl.errors import ExitCode, VendorError
from vendorctl.model import Json, Report


@click.command("schema")
@click.argument("name", required=False)
@options()
def command(name: str | None) -> int:
    """The JSON schema (2020-12) of the document NAME, in one piece. Without NAME: the list of documents.

    NAME is what the `schema` key of the document says, or the part of it between the slashes; or VENDOR.yaml.
    """
    if name is None:
        return emit(_list())
    from vendorctl.report.manifest_schema import NAME, manifest_schema
    from vendorctl.report.schemas import bundled

    known = _known(name)
    schema = manifest_schema() if known == NAME else bundled(known)
    click.echo(json.dumps(schema, indent=2, ensure_ascii=False))
    return ExitCode.OK


def _list() -> Report:
    from vendorctl.report.manifest_schema import DESCRIPTION, NAME
    from vendorctl.report.schemas import load_schema, schema_names

    told = {name: load_schema(name)["description"] for name in schema_names()} | {NAME: DESCRIPTION}
    rows: list[Json] = [{"name": name, "description": text} for name, text in told.items()]
    width = max(map(len, told))
    lines = tuple(f"{name:{width}}  {text}" for name, text in told.items())
    return Report(schema="vendorctl/schemas/1", title="schema", lines=lines, data={"schemas": rows})


def _known(name: str) -> str:
    from vendorctl.report.manifest_schema import NAME
    from vendorctl.report.schemas import schema_names

    names = {short: full for full in schema_names() for short in (full, full.split("/")[1])} | {NAME: NAME}
    if name not in names:
        hint = nearest(name, names) or "`vendorctl schema` lists them"
        raise VendorError(f"no such document: {name!r}", hint=hint, code=ExitCode.USAGE)
    return names[name]
