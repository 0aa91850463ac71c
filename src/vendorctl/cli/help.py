# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl help [TOPIC]`: a command, a rule, or one of a few subjects that belong to no single command."""

from __future__ import annotations

import click

from vendorctl.cli.group import CommandTable
from vendorctl.cli.session import options
from vendorctl.errors import ExitCode

#: Subjects: what to type, and the text for it. Each ends with where to read on.
TOPICS = {
    "workspace": """\
A workspace is a folder with a VENDOR.yaml.

VENDOR.yaml        what is vendored from where; people edit it
VENDOR.lock        what that resolved to, file by file; vendorctl writes it
vendored/NAME/     upstream's files, byte for byte
patches/NAME/      numbered patches and the series that orders them
.vendorctl/        patched trees and the state of interrupted commands; never committed

Edit the patched tree, at `output:` or .vendorctl/patched/NAME, and record the edit:
  vendorctl patch record NAME --title '...' --reason '...'

Read on: docs/tutorial/index.md, docs/reference/vendor-yaml.md""",
    "proofs": """\
verify proves, offline, that

1. vendored/NAME is what the lock says upstream has: paths, bytes, modes and links
2. the series applies to it exactly, with no fuzz and no offset, and gives the locked tree after every patch
3. the patched tree on disk holds that, and no edit that no patch records
4. generated notices and bills of materials are what generating them again would give

Upstreams with `store: fetch` may not be on disk: that is a note, and an error with --require.

Read on: docs/explanation/proofs.md""",
    "patches": """\
Patches are numbered mails, 0001-slug.patch, that git am, quilt and patch -p1 read. Each says in its message

Reason: why the change is local
Forwarded: no, not-needed, or the address of the pull request
Origin: vendor, backport, or where it comes from
Applied-Upstream: the commit or release that has it

vendorctl patch --help lists what can be done with them.

Read on: docs/reference/patches.md""",
    "bump": """\
vendorctl sync --pin NAME=REF --dry-run    what would become of each patch
vendorctl sync --pin NAME=REF              move the pin and carry the series over
vendorctl sync --drop-merged               drop patches that upstream has taken

A conflict leaves the workspace as it was. Its files wait in .vendorctl/bump/NAME/files:
edit them, then `vendorctl sync NAME --continue`; or --skip the patch, or --abort.

Read on: docs/how-to/bump-with-a-conflict.md, docs/explanation/bumps.md""",
    "formats": """\
--format text       for people (the default)
--format json       for programs; `vendorctl help schemas` tells the shapes
--format markdown   a comment for a pull request, below the size limit
--format github     annotations of GitHub Actions
--format sarif      SARIF 2.1.0 for code scanning
--format junit      JUnit XML for test reports

Not every command has all of them; its --help lists them. Colours: off with --no-color or NO_COLOR.
Differences on a terminal go through $VENDORCTL_PAGER or $PAGER; an empty VENDORCTL_PAGER switches that off.

Read on: docs/how-to/continuous-integration.md""",
    "exit-codes": """\
0    done, nothing wrong        1    findings
2    wrong command line         3    VENDOR.yaml or VENDOR.lock is invalid
4    upstream out of reach      5    a patch conflicts; state is kept
6    build or test failed       7    a tool or device is missing
70   a fault of vendorctl       130  interrupted

Read on: docs/reference/exit-codes.md""",
    "environment": """\
VENDORCTL_CACHE     folder of the cache (default: below XDG_CACHE_HOME or ~/.cache)
VENDORCTL_PAGER     what shows differences on a terminal; before PAGER
NO_COLOR            no colours
SOURCE_DATE_EPOCH   the time to write where one is needed, in seconds since 1970

Proxies, credentials and url.<base>.insteadOf are git's own settings.

Read on: docs/how-to/offline-and-mirrors.md""",
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
        click.echo(TOPICS[topic])
    elif topic == "schemas":
        _list_schemas()
    elif found := commands.get_command(context, topic):
        click.echo(found.get_help(click.Context(found, info_name=topic, parent=context)))
    else:
        _explain(topic, [*TOPICS, "schemas", *commands.list_commands(context)])
    return ExitCode.OK


def _list_topics() -> None:
    click.echo("vendorctl help TOPIC, where TOPIC is a command, a rule, or one of\n")
    for name, text in TOPICS.items():
        click.echo(f"  {name:14} {text.splitlines()[0]}")
    click.echo(f"  {'schemas':14} The JSON schemas of --format json.\n\nvendorctl --help lists the commands.")


def _list_schemas() -> None:
    from vendorctl.report.schemas import FOLDER, schema_names

    click.echo(f"The schemas of --format json are in {FOLDER}:\n")
    for name in schema_names():
        click.echo(f"  {name}")


def _explain(topic: str, known: list[str]) -> None:
    from vendorctl.cli.explain import describe_rule, rule_named

    rule = rule_named(topic)
    if rule is None:
        from vendorctl.cli.group import guess

        raise click.UsageError(f"no help on {topic!r}.{guess(topic, known)}")
    click.echo(describe_rule(rule))
