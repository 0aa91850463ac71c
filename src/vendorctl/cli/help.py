# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl help [TOPIC]`: a command, a rule, or one of a few subjects that belong to no single command."""

from __future__ import annotations

from dataclasses import dataclass

import click

from vendorctl.cli.group import CommandTable, nearest
from vendorctl.cli.session import options
from vendorctl.errors import ExitCode, VendorError


@dataclass(frozen=True, slots=True)
class Topic:
    """A subject: what the list says of it, and its text, which ends with where to read on."""

    summary: str
    text: str


#: What to type, and what is told then.
TOPICS = {
    "workspace": Topic(
        "The files of a workspace, and which of them people edit.",
        """\
A workspace is a folder with a VENDOR.yaml.

VENDOR.yaml        what is vendored from where; people edit it
VENDOR.lock        what that resolved to, file by file; vendorctl writes it
vendored/NAME/     upstream's files, byte for byte
patches/NAME/      numbered patches and the series that orders them
.vendorctl/        patched trees and the state of interrupted commands; never committed

Edit the patched tree, at `output:` or .vendorctl/patched/NAME, and record the edit:
  vendorctl patch record NAME --title '...' --reason '...'

Read on: docs/tutorial/index.md, docs/reference/vendor-yaml.md""",
    ),
    "proofs": Topic(
        "What verify proves.",
        """\
verify proves, offline, that

1. vendored/NAME is what the lock says upstream has: paths, bytes, modes and links
2. the series applies to it exactly, with no fuzz and no offset, and gives the locked tree after every patch
3. the patched tree on disk holds that, and no edit that no patch records
4. generated notices and bills of materials are what generating them again would give

Upstreams with `store: fetch` may not be on disk: that is a note, and an error with --require.

Read on: docs/explanation/proofs.md""",
    ),
    "patches": Topic(
        "What a patch says of itself.",
        """\
Patches are numbered mails, 0001-slug.patch, that git am, quilt and patch -p1 read. Each says in its message

Reason: why the change is local
Forwarded: no, not-needed, or the address of the pull request
Origin: vendor, backport, or where it comes from
Applied-Upstream: the commit or release that has it

vendorctl patch --help lists what can be done with them.

Read on: docs/reference/patches.md""",
    ),
    "bump": Topic(
        "Moving a pin, and what to do when a patch conflicts.",
        """\
vendorctl sync --pin NAME=REF --dry-run    what would become of each patch
vendorctl sync --pin NAME=REF              move the pin and carry the series over
vendorctl sync --drop-merged               drop patches that upstream has taken

A conflict leaves the workspace as it was. Its files wait in .vendorctl/bump/NAME/files:
edit them, then `vendorctl sync NAME --continue`; or --skip the patch, or --abort.

Read on: docs/how-to/bump-with-a-conflict.md, docs/explanation/bumps.md""",
    ),
    "formats": Topic(
        "What --format can write, colours, the pager.",
        """\
--format text       for people (the default)
--format json       for programs; `vendorctl schema` has the schemas
--format markdown   a comment for a pull request, below the size limit
--format github     annotations of GitHub Actions
--format sarif      SARIF 2.1.0 for code scanning
--format junit      JUnit XML for test reports

Not every command has all of them; its --help lists them. Colours: off with --no-color or NO_COLOR.
Differences on a terminal go through $VENDORCTL_PAGER or $PAGER; an empty VENDORCTL_PAGER switches that off.

Read on: docs/how-to/continuous-integration.md""",
    ),
    "exit-codes": Topic(
        "What each exit code stands for.",
        """\
0    done, nothing wrong        1    findings
2    wrong command line         3    VENDOR.yaml or VENDOR.lock is invalid
4    upstream out of reach      5    a patch conflicts; state is kept
6    build or test failed       7    a tool or device is missing
70   a fault of vendorctl       130  interrupted

Read on: docs/reference/exit-codes.md""",
    ),
    "environment": Topic(
        "The environment variables that matter.",
        """\
VENDORCTL_CACHE     folder of the cache (default: below XDG_CACHE_HOME or ~/.cache)
VENDORCTL_PAGER     what shows differences on a terminal; before PAGER
NO_COLOR            no colours
FORCE_COLOR         colours in a pipe or file, too
SOURCE_DATE_EPOCH   the time to write where one is needed, in seconds since 1970

VENDORCTL_CACHE_READONLY   1: take objects from kernels.cache, offer none

Proxies, credentials and url.<base>.insteadOf are git's own settings.

Read on: docs/reference/environment.md""",
    ),
    "schemas": Topic(
        "The JSON schemas of the documents that vendorctl writes.",
        """\
The schemas of --format json are in vendorctl itself, one for each document, strict (JSON Schema 2020-12).

vendorctl schema           lists the documents
vendorctl schema verify    writes one schema, in one piece: here that of
  vendorctl/verify/1
vendorctl schema VENDOR.yaml    is for editors that complete and check YAML

They describe what this version writes. The number changes when a key goes or changes its meaning.

Read on: docs/reference/json.md""",
    ),
}


@click.command("help")
@click.argument("topic", required=False)
@options()
def command(topic: str | None) -> int:
    """Help on TOPIC: a command, a rule such as VC201, or a subject. Without TOPIC: the list of subjects."""
    context = click.get_current_context().find_root()
    commands = context.command
    assert isinstance(commands, CommandTable)
    if topic is None:
        _list_topics()
    elif topic in TOPICS:
        click.echo(TOPICS[topic].text)
    elif found := commands.get_command(context, topic):
        click.echo(found.get_help(click.Context(found, info_name=topic, parent=context)))
    else:
        _explain(topic, [*TOPICS, *commands.list_commands(context)])
    return ExitCode.OK


def _list_topics() -> None:
    click.echo("vendorctl help TOPIC, where TOPIC is a command, a rule, or one of\n")
    for name, subject in TOPICS.items():
        click.echo(f"  {name:14} {subject.summary}")
    click.echo("\nvendorctl --help lists the commands.")


def _explain(topic: str, known: list[str]) -> None:
    from vendorctl.cli.explain import describe_rule, rule_named

    rule = rule_named(topic)
    if rule is None:
        hint = nearest(topic, known) or "`vendorctl help` lists the subjects"
        raise VendorError(f"no help on {topic!r}", hint=hint, code=ExitCode.USAGE)
    click.echo(describe_rule(rule))
