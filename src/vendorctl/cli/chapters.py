# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The demo's chapters, in order. Each tells one thing that vendorctl does, on the sample upstream."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from vendorctl.cli.story import Story
from vendorctl.cli.testing import backend_factory
from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels.compiler.toolchain import locate
from vendorctl.kernels.object.manifest import parse
from vendorctl.sample import edits

_NAME = "minikernels"
_AUTHOR = "Dana Downstream <dana@downstream.example.org>"
_PATCHED = f".vendorctl/patched/{_NAME}"


def vendor(story: Story) -> None:
    """init, add, sync."""
    story.title("Vendor an upstream")
    story.say("A workspace says in VENDOR.yaml what is vendored from where.")
    story.run("init")
    story.say("An upstream is pinned by full commit id; the tag it came from is recorded, so a moved tag is noticed.")
    story.run("add", _NAME, "../minikernels.git", "--ref", "v0.1.0", "--include", "minikernels/**")
    story.say("sync fetches exactly that commit and writes it byte for byte, with a lock of every file.")
    story.run("sync")


def patch(story: Story) -> None:
    """Three recorded modifications."""
    story.title("Change it, one explained patch at a time")
    story.say("Edits are made in the patched tree; each becomes a numbered patch with a title, a reason and a status.")
    for edit in edits.all():
        for path, content in sorted(edit.files.items()):
            story.write(f"{_PATCHED}/{path}", content)
        story.run(
            "patch", "record", _NAME, "--title", edit.title, "--reason", edit.reason,
            "--forwarded", edit.forwarded, "--origin", edit.origin,
            "--author", _AUTHOR,  # a fresh machine has no git identity
        )  # fmt: skip


def explain(story: Story) -> None:
    """diff-upstream and verify."""
    story.title("Show every difference, and prove that there is no other")
    story.say("Each changed line names the patch that answers for it.")
    story.run("diff-upstream")
    story.say("verify works offline: vendored files are upstream's, the series gives exactly the patched tree.")
    story.run("verify")


def tamper(story: Story) -> None:
    """An edit that nobody recorded is caught, twice."""
    story.title("Catch a tampering")
    story.say("Somebody edits a vendored file in place. Nothing records it, so verify names the file and the rule.")
    vendored = f"vendored/{_NAME}/minikernels/softmax.py"
    original = (story.workspace / vendored).read_bytes()
    story.write(vendored, original.replace(b"softmax", b"sofftmax", 1))
    story.run("verify", expect=ExitCode.FINDINGS)
    story.write(vendored, original)
    story.run("verify")


_KERNELS = b"""
kernels:
  recipes: [recipes/softmax.py]
  targets: [gfx942, gfx1100]
"""


def build(story: Story) -> None:
    """build, with the table of what came out."""
    story.title("Compile kernels for two GPU families, with no GPU")
    if not _can_build(story):
        return
    story.say("A recipe names the instances, and knows how to test them.")
    manifest = (story.workspace / "VENDOR.yaml").read_bytes()
    story.write("recipes/softmax.py", edits.recipe())
    story.write("VENDOR.yaml", manifest + _KERNELS)
    story.run("build")
    for line in _objects(story.workspace):
        story.show(line)


def test(story: Story) -> None:
    """test, and the patch without which it would fail."""
    story.title("Run the shipped bytes on the CPU")
    if not _can_build(story):
        return
    story.say(
        "Every object runs under four orders of waves, against a float64 reference; races and waits are followed."
    )
    story.run("test", "-j", "1")
    story.say("What is patch 0002, the barrier, good for? Without it two reductions race for the same memory: the")
    story.say("lockstep order hides that, and the serial one gives wrong numbers.")
    story.run("test", "--without", "0002", "-j", "1")


def _can_build(story: Story) -> bool:
    """Whether compiler, linker and emulator are here; says what is missing, because a skip is no success."""
    try:
        locate(os.environ, pins={})
        backend_factory("emulator")
    except VendorError as missing:
        story.say(f"Skipped: {missing.message}. {missing.hint or ''}")
        return False
    return True


def _objects(root: Path) -> Iterator[str]:
    """A table of all objects: sizes in bytes, vector registers, LDS."""
    yield f"{'object':28} {'bytes':>6} {'VGPRs':>6} {'LDS':>5}  SHA-256"
    for path in sorted(root.glob("objects/*/*/manifest.json")):
        found = parse(path.read_bytes(), path.name)
        for item in found.objects:
            name = f"{found.operation} {found.target} {item.instance.name}"
            used = item.resources
            yield f"{name:28} {item.size:6} {used.vgpr:6} {used.lds:5}  {item.sha256[:16]}"


def bump(story: Story) -> None:
    """A bump across which one patch has landed and the others are refreshed."""
    story.title("Move the pin")
    story.say("Upstream released v0.2.0. A dry run says what becomes of each patch; content decides, not the subject.")
    story.run("sync", "--pin", f"{_NAME}=v0.2.0", "--dry-run")
    story.say("A landed patch leaves the series only with consent.")
    gate = ("--gate", "test") if (story.workspace / "objects").is_dir() else ()
    if gate:
        story.say("The kernels are built and tested at both pins first: a bump that makes one worse is refused.")
    story.run("sync", "--pin", f"{_NAME}=v0.2.0", "--drop-merged", *gate)
    story.run("verify")


def conflict(story: Story) -> None:
    """A bump that conflicts, resolved by a prepared edit."""
    story.title("Survive a conflict")
    story.say("v0.3.0 moved a file and changed a signature that patch 0003 changes too. The workspace stays untouched.")
    story.run("sync", "--pin", f"{_NAME}=v0.3.0", expect=ExitCode.CONFLICT)
    story.say("The conflict waits in a folder of its own, for as long as you like. Edit its files, then go on.")
    for path, content in sorted(edits.resolution().items()):
        story.write(f".vendorctl/bump/{_NAME}/files/{path}", content)
    story.run("sync", _NAME, "--continue")
    story.run("verify")


def licences(story: Story) -> None:
    """audit, licenses and sbom; then a licence that the policy refuses."""
    story.title("Answer for every licence")
    story.say("audit asks of every file: is its licence known and allowed, is every duty met? Not yet, here.")
    story.run("audit", expect=ExitCode.FINDINGS)
    story.say("Take upstream's licence and NOTICE along, and generate the notices and the SBOM that are due.")
    manifest = story.workspace / "VENDOR.yaml"
    complete = manifest.read_bytes().replace(b'["minikernels/**"]', b'["minikernels/**", LICENSE, NOTICE]')
    story.write("VENDOR.yaml", complete)
    for command in ("sync", "licenses", "sbom", "audit"):
        story.run(command)
    story.say(
        "v0.3.0 brought a third-party file under MIT. A product that denies MIT is told so, with the file's name."
    )
    story.write("VENDOR.yaml", complete.replace(b"licenses:\n", b"licenses:\n  deny: [MIT]\n"))
    story.run("audit", expect=ExitCode.FINDINGS)
    story.write("VENDOR.yaml", complete)


CHAPTERS: tuple[Callable[[Story], None], ...] = (vendor, patch, explain, tamper, build, test, bump, conflict, licences)
