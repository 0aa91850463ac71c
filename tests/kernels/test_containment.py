# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Recipes that crash, hang, eat memory, lie or write where they should not: each contained, and reported by name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from support import tinykern
from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels.building.build import BuildOptions, BuildReport
from vendorctl.kernels.building.project import Project
from vendorctl.kernels.compiler.child import Limits
from vendorctl.kernels.compiler.toolchain import flydsl_version
from vendorctl.kernels.executor import confine
from vendorctl.model import Finding

#: A matrix instruction of gfx9, which LLVM cannot select for gfx11: it prints "Cannot select" and aborts the process.
_ABORT = """
        import flydsl.compiler as flyc
        import flydsl.expr as fx
        from tinykern import unrelated

        @flyc.kernel(name="wrong")
        def wrong(x: fx.Pointer):
            atom = fx.make_mma_atom(fx.rocdl.MFMA(16, 16, 16, fx.Float16))
            a = fx.make_rmem_tensor(4, fx.Float16)
            d = fx.make_rmem_tensor(4, fx.Float32)
            a.store((x + fx.thread_idx.x).load(fx.Vector[fx.Float16, 4]))
            d.store(fx.Vector.filled(4, 0.0, fx.Float32))
            fx.mma_atom_call(atom, d, a, a, d)
            (x + fx.thread_idx.x).store(d.load().to(fx.Float16))

        @flyc.jit
        def launch(x: fx.Pointer, y: fx.Pointer, n: fx.Int32, a: fx.Float32, stream: fx.Stream = fx.Stream(None)):
            wrong(x).launch(grid=(1,), block=(64,), stream=stream)

        return launch
"""

#: 100,000 bytes of LDS, where a workgroup may have 65,536: the back end complains, and still returns an object.
_TOO_MUCH_LDS = """
        import flydsl.compiler as flyc
        import flydsl.expr as fx
        from tinykern import unrelated

        @flyc.kernel(name="large")
        def large(x: fx.Pointer):
            slots = fx.SharedAllocator().allocate(fx.Array[fx.Float32, 25000, 16]).peek().ptr
            (slots + fx.thread_idx.x).store(x[fx.thread_idx.x].to(fx.Float32))
            fx.gpu.barrier()
            (x + fx.thread_idx.x).store(slots[63 - fx.thread_idx.x].to(x.element_type))

        @flyc.jit
        def launch(x: fx.Pointer, y: fx.Pointer, n: fx.Int32, a: fx.Float32, stream: fx.Stream = fx.Stream(None)):
            large(x).launch(grid=(1,), block=(64,), stream=stream)

        return launch
"""


def _write_to_every_pipe(line: bytes) -> str:
    """Statements that write `line` to every descriptor which could be the channel to the parent."""
    lines = (
        "import os",
        "for fd in range(3, 20):",
        f"    try: os.write(fd, {line!r} + bytes([10]))",
        "    except OSError: pass",
    )
    return "\n        ".join(lines)


_FORGED = f'{{"ok": {{"code": "AAAA", "plan": {{}}, "flydsl": "{flydsl_version()}"}}}}'.encode()

#: What launcher() does for the f16 row, the rule it must be reported under, and a word of the message.
EVIL: Mapping[str, tuple[str, str, str]] = {
    "compiler abort": (_ABORT, "VC502", "SIGABRT"),
    "too much LDS": (_TOO_MUCH_LDS, "VC503", "local memory"),
    "endless loop": ("while True: pass", "VC502", "within 4 seconds"),
    "endless loop in C": ("sum(iter(int, 1))", "VC502", "within 4 seconds"),
    "signals ignored": (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(3600)",
        "VC502",
        "within 4 seconds",
    ),
    "memory": ("x = [bytearray(1 << 26) for _ in range(1000)]", "VC501", "the limit is 2,048 MiB"),
    "segmentation fault": ("import ctypes; ctypes.string_at(0)", "VC502", "SIGSEGV"),
    "exit": ("import os; os._exit(0)", "VC502", "status 0"),
    "polite exit": ("raise SystemExit(3)", "VC501", "SystemExit"),
    "killed": ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "VC502", "SIGKILL"),
    "deep recursion": ("f = lambda: f(); f()", "VC501", "RecursionError"),
    "not a launcher": ("return len", "VC501", "@flyc.jit"),
    "forged answers": (_write_to_every_pipe(_FORGED), "VC504", "not a readable AMD"),
    "noise on the pipe": (_write_to_every_pipe(b"x" * 100), "VC502", "not an answer"),
    "early complaint": (
        "import sys\n        print('x.mlir:3: error: too bad')\n        sys.stdout.flush()\n        print('y' * 20000)",
        "VC503",
        "too bad",
    ),
    "endless messages": ("import os; os.write(2, b'z' * (17 << 20))", "VC503", "16 MiB of messages"),
    "message of several lines": ("raise ValueError('first' + chr(10) + 'second')", "VC501", "ValueError: first"),
    "a large file": ("open('big', 'wb').truncate(1 << 40)", "VC501", "File too large"),
}


def project_with(root: Path, body: str) -> Project:
    """The tiny project for one target, whose recipe runs `body` before it compiles the f16 row."""
    tinykern.write_files(root)
    recipe = root / "recipes" / "scale.py"
    first = "        from tinykern.scale import build_scale\n"
    hook = f'        if instance.text("dtype") == "f16":\n            self.evil()\n{first}'
    if "return" in body:
        hook = f'        if instance.text("dtype") == "f16":\n            return self.evil()\n{first}'
    text = recipe.read_text().replace(first, hook)
    body = body.replace("import tinykern", "").strip("\n")
    indented = body if body.startswith("        ") else "        " + body
    recipe.write_text(text.replace("    def arguments", f"    def evil(self):\n{indented}\n\n    def arguments"))
    return tinykern.project(root, targets=("gfx1100",))


def build(project: Project, cache: Path, *, seconds: float = 60.0) -> BuildReport:
    limits = Limits(seconds=seconds, memory=2 << 30)
    return tinykern.build(project, cache, BuildOptions(jobs=1, keep_going=True, limits=limits))


def only(result: BuildReport) -> Finding:
    assert result.exit_code is ExitCode.BUILD_FAILED
    (finding,) = result.report.findings
    return finding


@pytest.mark.parametrize("name", EVIL)
def test_one_bad_row_is_reported_and_the_other_still_compiles(name: str, tmp_path: Path) -> None:
    body, rule, word = EVIL[name]
    project = project_with(tmp_path / "project", body)
    result = build(project, tmp_path / "cache", seconds=4.0 if "seconds" in word else 60.0)
    finding = only(result)
    assert finding.rule == rule, finding
    assert word in finding.message, finding
    assert "scale f16 for gfx1100" in finding.message
    assert (project.root / str(finding.data["log"])).is_file()
    assert result.report.counts["compiled"] == 1


needs_landlock = pytest.mark.skipif(not confine.supported(), reason="this kernel has no Landlock")

WRITES: Mapping[str, str] = {
    "into the workspace": "open({target!r}, 'w').write('x')",
    "hidden by the recipe": "\n            ".join(("try:", "    open({target!r}, 'w')", "except OSError:", "    pass")),
    "by removing": "import os; os.remove({victim!r})",
    "by renaming": "import os; os.rename({victim!r}, {target!r})",
    "by linking": "import os; os.symlink('/etc/passwd', {target!r})",
    "new folder": "import os; os.mkdir({target!r})",
}


@needs_landlock
@pytest.mark.parametrize("name", WRITES)
def test_writes_outside_the_scratch_folder_are_refused_and_reported(name: str, tmp_path: Path) -> None:
    root = tmp_path / "project"
    target, victim = str(root / "patched" / "planted"), str(root / "patched" / "tinykern" / "unrelated.py")
    body = WRITES[name].format(target=target, victim=victim)
    project = project_with(root, body.replace("\n            ", "\n        "))
    finding = only(build(project, tmp_path / "cache"))
    assert finding.rule == "VC506"
    assert "scale f16 for gfx1100" in finding.message
    assert not os.path.lexists(target)
    assert Path(victim).is_file()


@needs_landlock
def test_a_program_that_the_recipe_starts_is_confined_too(tmp_path: Path) -> None:
    target = tmp_path / "planted"
    body = f"import subprocess; subprocess.run(['/bin/sh', '-c', 'echo x > {target}'], check=True)"
    finding = only(build(project_with(tmp_path / "project", body), tmp_path / "cache"))
    assert "CalledProcessError" in finding.message
    assert not target.exists()


def test_scratch_files_are_fine(tmp_path: Path) -> None:
    body = "import tempfile; tempfile.NamedTemporaryFile().write(b'x'); open('here', 'w').write('x')"
    assert build(project_with(tmp_path / "project", body), tmp_path / "cache").report.ok


def test_without_landlock_changes_in_the_workspace_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vendorctl.kernels.compiler.watch import Snapshot

    root = tinykern.write_files(tmp_path / "project")
    before = Snapshot.take(root)
    assert before.changes() == []
    (root / "recipes" / "new.py").write_text("")
    (root / "patched" / "tinykern" / "types.py").write_text("VALUE = 2\n")
    (root / "patched" / "tinykern" / "unrelated.py").unlink()
    places = [str(finding.location) for finding in before.changes()]
    assert places == ["patched/tinykern/types.py", "patched/tinykern/unrelated.py", "recipes/new.py"]


HANGING_TABLES: Mapping[str, tuple[str, str]] = {
    "crash": ("import os; os.abort()", "SIGABRT"),
    "not a table": ("return 5", "not iterable"),
    "numbers only": ("yield row(dtype=1.5)", "holds a float"),
    "raises": ("raise ValueError('no rows today')", "no rows today"),
}


@pytest.mark.parametrize("name", HANGING_TABLES)
def test_a_recipe_whose_table_cannot_be_read_is_named(name: str, tmp_path: Path) -> None:
    body, word = HANGING_TABLES[name]
    root = tinykern.write_files(tmp_path / "project")
    recipe = root / "recipes" / "scale.py"
    recipe.write_text(recipe.read_text().replace('yield row(dtype="f16")', body))
    if "return" in body:
        text = recipe.read_text()
        start, end = text.index("        yield"), text.index("    def launcher")
        recipe.write_text(text[:start] + "\n" + text[end:])
    with pytest.raises(VendorError) as caught:
        tinykern.build(tinykern.project(root), tmp_path / "cache")
    assert word in caught.value.message
    assert "recipes/scale.py" in caught.value.message
    assert caught.value.code is ExitCode.BUILD_FAILED


def test_an_unbounded_child_would_be_noticed(tmp_path: Path) -> None:
    """The control: with a generous memory limit, the memory eater of above is no failure."""
    body = "x = [bytearray(1 << 20) for _ in range(100)]"
    assert build(project_with(tmp_path / "project", body), tmp_path / "cache").report.ok
    project = project_with(tmp_path / "other", "x = [bytearray(1 << 26) for _ in range(20)]")
    assert build(project, tmp_path / "cache").report.ok
    for path in (project.root / "objects").rglob("*.hsaco"):
        path.unlink()
    small = BuildOptions(jobs=1, keep_going=True, limits=replace(Limits(), memory=1 << 30))
    assert not tinykern.build(project, tmp_path / "empty", small).report.ok
