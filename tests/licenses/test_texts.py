# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Licence texts: the shipped ones are intact, full texts are told from boilerplates in any layout."""

from __future__ import annotations

import textwrap
from importlib.resources import files

import pytest

from vendorctl.licenses.texts import SHA256, Kind, is_full_text, recognise, shipped

NAMED = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "ISC", "MIT", "MIT-0", "Unlicense", "Zlib"]


def text_of(spdx_id: str) -> bytes:
    content = shipped(spdx_id)
    assert content is not None
    return content


def test_every_shipped_text_is_listed_and_intact() -> None:
    folder = files("vendorctl.licenses") / "LICENSES"
    assert sorted(item.name for item in folder.iterdir()) == sorted(f"{spdx_id}.txt" for spdx_id in SHA256)
    for spdx_id in SHA256:
        assert is_full_text(spdx_id, text_of(spdx_id)), spdx_id
        text_of(spdx_id).decode("utf-8")


@pytest.mark.parametrize("spdx_id", NAMED)
def test_a_full_text_is_recognised_in_any_layout(spdx_id: str) -> None:
    text = text_of(spdx_id).decode()
    wrapped = "Copyright 2026 Somebody\n\n" + textwrap.fill(" ".join(text.split()), 40)
    commented = "\n".join(f"# {line}" for line in text.splitlines())
    for variant in (text, wrapped, commented, text.replace('"', "\u201c").replace("\n", "\r\n")):
        assert recognise(variant.encode()) == (spdx_id, Kind.FULL)


@pytest.mark.parametrize("spdx_id", NAMED)
def test_a_text_that_lacks_words_is_no_full_text(spdx_id: str) -> None:
    words = text_of(spdx_id).decode().split()
    middle = len(words) // 2
    shortened = " ".join(words[:middle] + words[middle + 3 :]).encode()
    assert not is_full_text(spdx_id, shortened)
    assert not is_full_text(spdx_id, b"")


def test_the_apache_boilerplate_is_told_from_the_licence() -> None:
    appendix = text_of("Apache-2.0").decode().split("END OF TERMS AND CONDITIONS")[1].encode()
    assert recognise(appendix) == ("Apache-2.0", Kind.BOILERPLATE)
    titled = b"Apache License\n   Version 2.0, January 2004\n\nCopyright 2025 Somebody\n\n" + appendix
    assert recognise(titled) == ("Apache-2.0", Kind.BOILERPLATE)
    assert not is_full_text("Apache-2.0", titled)


def test_similar_licences_are_not_mixed_up() -> None:
    assert not is_full_text("MIT", text_of("MIT-0"))
    assert not is_full_text("BSD-3-Clause", text_of("BSD-2-Clause"))
    assert not is_full_text("BSD-2-Clause", text_of("BSD-3-Clause"))
    assert recognise(b"All rights reserved.") == ("", Kind.OTHER)


def test_an_unknown_id_needs_a_text_of_some_length_that_is_no_boilerplate() -> None:
    assert shipped("LicenseRef-Ours") is None
    assert is_full_text("LicenseRef-Ours", b"You may use this, " * 20)
    assert not is_full_text("LicenseRef-Ours", b"See the web page.")
    assert not is_full_text("LicenseRef-Ours", b"Licensed under the Apache License, Version 2.0. " + b"word " * 40)
