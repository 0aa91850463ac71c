# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl explain VC201`: what a rule means."""

from __future__ import annotations

import shutil
import sys

import click

from vendorctl.cli.group import nearest
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
    chosen = [_known(rule)] if rule else list(RULES.values())
    if current().format == "json":
        rows = [{"id": r.id, "name": r.name, "summary": r.summary, "why": r.why, "fix": r.fix} for r in chosen]
        return emit(Report(schema="vendorctl/explain/1", title="explain", data={"rules": list(rows)}))
    for found in chosen:
        click.echo(describe_rule(found) if rule else f"{found.id}  {found.name:28} {found.summary}")
    return ExitCode.OK


def rule_named(text: str) -> Rule | None:
    """The rule with that id or name, in any case."""
    return RULES.get(text.upper()) or next((rule for rule in RULES.values() if rule.name == text.lower()), None)


def _known(text: str) -> Rule:
    found = rule_named(text)
    if found is None:
        hint = nearest(text, [*RULES, *(rule.name for rule in RULES.values())]) or "`vendorctl explain` lists them"
        raise VendorError(f"no such rule: {text!r}", hint=hint, code=ExitCode.USAGE)
    return found


def describe_rule(rule: Rule) -> str:
    """What `explain` prints about one rule; on a terminal, no wider than that."""
    text = f"{rule.id} {rule.name}\n\n{rule.summary}\n\nWhy: {rule.why}\n\nFix: {rule.fix}"
    if not sys.stdout.isatty():
        return text
    return click.wrap_text(text, min(100, shutil.get_terminal_size().columns), preserve_paragraphs=True)
