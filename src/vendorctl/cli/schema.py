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

    NAME is what the `schema` key of the document says, or the part of it between the slashes.
    """
    if name is None:
        return emit(_list())
    from vendorctl.report.schemas import bundled

    click.echo(json.dumps(bundled(_known(name)), indent=2, ensure_ascii=False))
    return ExitCode.OK


def _list() -> Report:
    from vendorctl.report.schemas import load_schema, schema_names

    names = schema_names()
    rows: list[Json] = [{"name": name, "description": load_schema(name)["description"]} for name in names]
    width = max(map(len, names))
    lines = [f"{name:{width}}  {load_schema(name)['description']}" for name in names]
    return Report(schema="vendorctl/schemas/1", title="schema", lines=tuple(lines), data={"schemas": rows})


def _known(name: str) -> str:
    from vendorctl.report.schemas import schema_names

    names = {short: full for full in schema_names() for short in (full, full.split("/")[1])}
    if name not in names:
        hint = nearest(name, names) or "`vendorctl schema` lists them"
        raise VendorError(f"no such document: {name!r}", hint=hint, code=ExitCode.USAGE)
    return names[name]
