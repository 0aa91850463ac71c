# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl explain VC201`: what a rule means."""

from __future__ import annotations

import difflib

import click

from vendorctl.cli.output import emit
from vendorctl.cli.session import current, options
from vendorctl.errors import ExitCode, VendorError
from vendorctl.model import Report
from vendorctl.rules import RULES, Rule


@click.command("explain")
@click.argument("rule", required=False)
@options()
def command(rule: str | None) -> int:
    """What a rule means, why it matters, and how to fix it. Without RULE: the list of all rules."""
    chosen = [_find(rule)] if rule else list(RULES.values())
    if current().format == "json":
        rows = [{"id": r.id, "name": r.name, "summary": r.summary, "why": r.why, "fix": r.fix} for r in chosen]
        return emit(Report(schema="vendorctl/explain/1", title="explain", data={"rules": list(rows)}))
    for found in chosen:
        click.echo(_long(found) if rule else f"{found.id}  {found.name:28} {found.summary}")
    return ExitCode.OK


def _find(text: str) -> Rule:
    by_name = {rule.name: rule for rule in RULES.values()}
    found = RULES.get(text.upper()) or by_name.get(text.lower())
    if found is None:
        near = difflib.get_close_matches(text, [*RULES, *by_name], n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise VendorError(f"no such rule: {text!r}", hint=f"{hint}`vendorctl explain` lists them", code=ExitCode.USAGE)
    return found


def _long(rule: Rule) -> str:
    return f"{rule.id} {rule.name}\n\n{rule.summary}\n\nWhy: {rule.why}\n\nFix: {rule.fix}"
