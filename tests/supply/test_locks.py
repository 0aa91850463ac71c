# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Dependencies are locked with hashes, the locks are what pyproject.toml asks for, and every licence was looked at."""

from __future__ import annotations

import importlib.metadata
import tomllib
from email.message import EmailMessage
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from release.licences import Policy, Use, disagreement, parse_policy, violations
from release.locks import CORE, DEVELOPMENT, ROOT, Locked, drift, parse_lock, parse_locks, user_locks
from support.environments import closure
from vendorctl.errors import VendorError

FOLDER = Path(__file__).parent.parent.parent
REQUIREMENTS = FOLDER / "requirements"
FILES = {f"requirements/{path.name}": path.read_bytes() for path in REQUIREMENTS.iterdir()}
PROJECT = tomllib.loads((FOLDER / "pyproject.toml").read_text("utf-8"))
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]
DIGEST = "0" * 64


@pytest.fixture(scope="module")
def locks() -> dict[str, tuple[Locked, ...]]:
    return parse_locks(FILES)


@pytest.fixture(scope="module")
def policy() -> Policy:
    return parse_policy(FILES["requirements/licences.toml"].decode(), "requirements/licences.toml")


def wanted(lock: str) -> list[Requirement]:
    """What pyproject.toml asks for where `lock` is installed."""
    texts = [*PROJECT["project"]["dependencies"], *EXTRAS.get(lock, ())]
    if lock == DEVELOPMENT:
        texts += [*PROJECT["dependency-groups"]["dev"], *(text for texts in EXTRAS.values() for text in texts)]
    return [Requirement(text) for text in texts]


def faults(lock: str, rows: tuple[Locked, ...], requirements: list[Requirement]) -> list[str]:
    """In what a lock is not what was asked for: wrong or absent versions, and packages that nobody asked for."""
    versions: dict[str, list[str]] = {}
    for row in rows:
        versions.setdefault(row.name, []).append(row.version)
    direct = {canonicalize_name(each.name): each for each in requirements}
    found = [
        f"{lock}.lock has {name} {versions.get(name)}, pyproject.toml wants {each}"
        for name, each in direct.items()
        if name not in versions or not all(each.specifier.contains(version) for version in versions[name])
    ]
    asked = {row.name for row in rows if ROOT in row.asked_by}
    found += [f"{lock}.lock says that vendorctl asks for {name}" for name in sorted(asked - direct.keys())]
    known = {*versions, ROOT}
    found += [f"{lock}.lock: nobody asks for {row.name}" for row in rows if not known & set(row.asked_by)]
    return found


def test_there_is_a_lock_for_each_extra_one_for_none_and_one_for_all(locks: dict[str, tuple[Locked, ...]]) -> None:
    assert user_locks(locks) == [CORE, *sorted(EXTRAS)]
    assert DEVELOPMENT in locks
    assert len(locks[CORE]) < 16


def test_every_lock_is_what_pyproject_asks_for(locks: dict[str, tuple[Locked, ...]]) -> None:
    assert [
        fault for lock in (DEVELOPMENT, *user_locks(locks)) for fault in faults(lock, locks[lock], wanted(lock))
    ] == []


def test_drift_of_pyproject_is_seen(locks: dict[str, tuple[Locked, ...]]) -> None:
    newer = [*wanted(CORE), Requirement("click>=99"), Requirement("left-pad")]
    assert [fault.split(", ")[1] for fault in faults(CORE, locks[CORE], newer)] == [
        "pyproject.toml wants click>=99",
        "pyproject.toml wants left-pad",
    ]
    fewer = [each for each in wanted(CORE) if each.name != "click"]
    assert faults(CORE, locks[CORE], fewer) == ["core.lock says that vendorctl asks for click"]
    without = tuple(row for row in locks[CORE] if row.name != "gitdb")
    assert faults(CORE, without, wanted(CORE)) == ["core.lock: nobody asks for smmap"]


def test_what_is_installed_here_needs_nothing_that_is_not_locked(locks: dict[str, tuple[Locked, ...]]) -> None:
    """Through every package that is reached on this interpreter, by what the packages themselves say."""
    for lock in user_locks(locks):
        reached = set(closure(wanted(lock)))
        assert reached - {row.name for row in locks[lock]} == set(), lock
        assert len(reached) > len({each.name for each in wanted(lock)}), lock


def test_users_get_what_developers_test(locks: dict[str, tuple[Locked, ...]]) -> None:
    assert list(drift(locks)) == []
    other = {**locks, CORE: (Locked(name="click", version="0.1", hashes=(DIGEST,)),)}
    assert list(drift(other)) == ["core.lock pins click 0.1, dev.lock does not, or with other hashes"]
    other = {**locks, "example": (Locked(name="mypy", version="0.1", hashes=(DIGEST,)),)}
    assert list(drift(other)) == ["example.lock pins mypy 0.1, dev.lock does not, or with other hashes"]


def test_an_entry_is_read_whole() -> None:
    text = (
        "# made by a tool\n"
        f"a-b==1.0 ; python_full_version < '3.12' \\\n    --hash=sha256:{DIGEST} \\\n    --hash=sha256:{'1' * 64}\n"
        "    # via\n    #   -c requirements/dev.lock\n    #   vendorctl (pyproject.toml:dev)\n    #   c\n"
        f"c==2 \\\n    --hash=sha256:{DIGEST}\n    # via vendorctl (pyproject.toml)\n"
    )
    assert parse_lock(text, "x.lock") == (
        Locked(name="a-b", version="1.0", marker="python_full_version < '3.12'", hashes=(DIGEST, "1" * 64),
               asked_by=("vendorctl", "c")),
        Locked(name="c", version="2", hashes=(DIGEST,), asked_by=("vendorctl",)),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a==1\n", 1, "a has no hash"),
        ("a==1 \\\n    # via vendorctl\n", 2, "a goes on with no hash"),
        (f"a==1 \\\n    --hash=md5:{DIGEST}\n", 2, "a goes on with no hash"),
        ("--index-url https://example.org/simple\n", 1, "not a pinned package"),
        ("--extra-index-url https://example.org/simple\n", 1, "not a pinned package"),
        ("a @ https://example.org/a.whl\n", 1, "not a pinned package"),
        ("-e .\n", 1, "not a pinned package"),
        (f"a>=1 \\\n    --hash=sha256:{DIGEST}\n", 1, "not a pinned package"),
    ],
)
def test_a_way_around_the_hashes_is_refused(text: str, line: int, words: str) -> None:
    with pytest.raises(VendorError, match=words) as caught:
        parse_lock(text, "x.lock")
    assert caught.value.location is not None
    assert caught.value.location.line == line


# -- licences ---------------------------------------------------------------------------------------------------------


def test_every_locked_package_has_a_licence_that_its_use_permits(
    policy: Policy, locks: dict[str, tuple[Locked, ...]]
) -> None:
    assert list(violations(policy, locks)) == []


def test_a_licence_outside_the_policy_is_seen(policy: Policy, locks: dict[str, tuple[Locked, ...]]) -> None:
    """reuse may be run as a program, and must never become something that is imported."""
    moved = {**locks, CORE: (*locks[CORE], *(row for row in locks["report"] if row.name == "reuse"))}
    assert list(violations(policy, moved)) == [
        f"core.lock: reuse is under {policy.expressions['reuse']}, which is not for import"
    ]
    unknown = {**locks, CORE: (*locks[CORE], Locked(name="left-pad", version="1", hashes=(DIGEST,)))}
    assert list(violations(policy, unknown)) == [
        "core.lock: the licence of left-pad is not in requirements/licences.toml"
    ]
    assert "licences.toml: no lock has click" in [*violations(policy, {CORE: ()})]


def test_a_lock_of_no_known_use_is_refused() -> None:
    policy = Policy((Use("import", (CORE,), ("MIT",)),), {})
    with pytest.raises(VendorError, match="names the lock 'other'"):
        list(violations(policy, {"other": ()}))


def test_licences_were_read_as_the_packages_state_them(policy: Policy) -> None:
    compared = 0
    for name, expression in policy.expressions.items():
        try:
            stated = importlib.metadata.metadata(name)
        except importlib.metadata.PackageNotFoundError:  # for another platform
            continue
        message = EmailMessage()
        for key in ("License-Expression", "License", "Classifier"):
            for value in stated.get_all(key) or ():
                message[key] = " ".join(value.split())
        assert disagreement(expression, message) is None, name
        compared += 1
    assert compared > 150


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("License-Expression", "GPL-3.0-only", "it states GPL-3.0-only, not MIT"),
        ("License", "Apache-2.0", "it states Apache-2.0, not MIT"),
        ("Classifier", "License :: OSI Approved :: BSD License", "it is classified as BSD License, not MIT"),
        ("License", "see the file", None),
        ("License-Expression", "mit", None),
    ],
)
def test_what_a_package_states_is_compared(key: str, value: str, words: str | None) -> None:
    message = EmailMessage()
    message[key] = value
    assert disagreement("MIT", message) == words


def test_what_is_no_expression_is_refused() -> None:
    with pytest.raises(VendorError, match="a: 'BSD' is no SPDX expression"):
        parse_policy('[use.x]\nlocks = []\nallow = []\n[packages]\na = "BSD"\n', "licences.toml")
