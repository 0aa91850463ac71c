# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""VC3xx: pins, refs and drift."""

from __future__ import annotations

from vendorctl.rules.rule import Rule

#: In numeric order.
PINS = (
    Rule(
        "VC301",
        "tag-moved",
        "The tag that a pin came from names another object now.",
        "Tags are expected to stay; a moved one may be a mistake, or an attack.",
        "Ask upstream; the pin stays valid. `vendorctl sync --pin NAME=TAG` takes the new state.",
    ),
    Rule(
        "VC302",
        "ref-gone",
        "The ref that a pin came from no longer exists upstream.",
        "Nothing says any more what the pin was meant to follow.",
        "Set `ref:` to a tag or branch that exists.",
    ),
    Rule(
        "VC303",
        "pin-off-ref",
        "The ref that a pin came from does not lead to it.",
        "The branch was rewritten, or `ref:` was edited by hand.",
        "Name the right ref, or move the pin.",
    ),
    Rule(
        "VC304",
        "pin-vanished",
        "A pin is on no branch or tag of its upstream any more.",
        "Servers delete such commits in time; the workspace then cannot be restored elsewhere.",
        "Pin the commit with the same files that the message names, or another one.",
    ),
    Rule(
        "VC305",
        "pin-unchecked",
        "Offline, it could not be checked whether a pin is still upstream.",
        "What is not checked is not known to be well.",
        "Run the command once without `--offline`.",
    ),
    Rule(
        "VC320",
        "upstream-moved-file-out",
        "Upstream moved a vendored file to a place that `include:` does not select.",
        "A bump would drop the file, and every patch to it would conflict.",
        "Add the new path to `include:` in VENDOR.yaml, then bump; patches follow the file.",
    ),
    Rule(
        "VC321",
        "upstream-removed-file",
        "Upstream removed a vendored file.",
        "Whoever imports it breaks at the next bump, and a patch to it has no place any more.",
        "Stop using the file, or keep it with `hold:` and a reason.",
    ),
    Rule(
        "VC322",
        "upstream-licence-changed",
        "The licence facts of a vendored file, or a licence or notice file of upstream, changed.",
        "Notices and obligations are owed for what is shipped, not for what was shipped last year.",
        "Read the change, then bump and regenerate the notices with `vendorctl licenses`.",
    ),
    Rule(
        "VC323",
        "import-leaves-vendored-set",
        "A vendored file imports an upstream file that is not vendored.",
        "The import works in upstream's repository and fails in ours.",
        "Add the file to `include:`; `vendorctl closure` lists everything that a kernel needs.",
    ),
    Rule(
        "VC324",
        "not-taken-unknown",
        "A commit in `not_taken:` is not among the commits since the pin that touch vendored files.",
        "A ledger that no longer matches anything hides which decisions still hold.",
        "Remove the entry once the pin has passed the commit; check the id if it never matched.",
    ),
    Rule(
        "VC325",
        "drift-unknown",
        "How far upstream has moved could not be found out.",
        "Not knowing is a state of its own: it must not look like being up to date.",
        "Run the command once with network access.",
    ),
)
