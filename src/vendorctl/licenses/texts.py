# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Licence texts that ship with vendorctl, and telling a licence's full text from a mention of it.

The texts are the SPDX license list's, word for word. Upstreams' own copies differ in line breaks, indentation and
their copyright line, so texts are compared as sequences of words.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from importlib.resources import files

from vendorctl.digest import sha256
from vendorctl.errors import ExitCode, VendorError

#: SHA-256 of every text in the package, by SPDX id. The folder's name is one that `reuse lint` knows to hold texts.
SHA256 = {
    "0BSD": "e3f18c71e10d673590eb9856c1d79dd3b4b0d65404efb5e8584dbede7edd608b",
    "Apache-2.0": "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30",
    "BSD-2-Clause": "017b5ee48f680e82cba79141c7895a1f02b856df2512225f5c427fe36765ef0b",
    "BSD-3-Clause": "3cf06aba3588c41c514f6946bb2d757b413ff6491647d474800f55edca75dcb4",
    "BSL-1.0": "84c6ef3ea9e3254a54d0acf5d3e0c61ae011b8fef7dd6940591cf060e6380a8f",
    "BlueOak-1.0.0": "8a1af140fdfbf5afd3df27f7e662f989c5b963a300020dfafce42033cae9e004",
    "CC-BY-4.0": "d557539df68e771cc1eedcc91d13f70fca930e508d11eedcafa4b15db49e3744",
    "CC0-1.0": "a2010f343487d3f7618affe54f789f5487602331c0a8d03f49e9a7c547cf0499",
    "ISC": "f2ec607f67bb0dd3053b49835b02110d5cd0f8eb6da3aac4dc0b142a6b299be9",
    "LLVM-exception": "ddabf2be4dbf3d983bce354836ed5b72221aba21e807e308948f182423c79306",
    "MIT": "b05785f9f18e6716bab63424b11454513b9943a222595b70411009202fc592b5",
    "MIT-0": "59746d6285ffa44bfc7ecada352aa5d6a20dc8eab418a60ce091cc739012c135",
    "MPL-2.0": "3f3d9e0024b1921b067d6f7f88deb4a60cbe7a78e76c64e3f1d7fc3b779b9d04",
    "NCSA": "b31bbfd06e221b39e1a877fb3f91b32fe9e88c87c1b46d11cd2bd5c822ec71e3",
    "PSF-2.0": "ab745c5061d1dea43a3885e5b4b6befc7e983954954775c5736debeefcdfd89b",
    "Python-2.0": "893c2bafbb8133f7aa97e1f79a3ee3241ebca7025f56278e9e1f72bb98592f9d",
    "Unlicense": "0bdebfeda07d45dada625ae1317c6f833186e798b171d0db640bcf32e92a8240",
    "Zlib": "bfb1112d49db5b1daecdfef24bd7e2f3ea0bafb33aa67aa0ab51e2bf8407c03d",
}

#: Where the licence's own words begin and end in its text; around them stand titles, placeholders and instructions.
_BODY = {
    "0BSD": ("permission to use", "this software."),
    "Apache-2.0": ("terms and conditions for use, reproduction", "end of terms and conditions"),
    "BSD-2-Clause": ("redistribution and use in source", "such damage."),
    "BSD-3-Clause": ("redistribution and use in source", "such damage."),
    "BSL-1.0": ("permission is hereby granted", "in the software."),
    "ISC": ("permission to use", "this software."),
    "MIT": ("permission is hereby granted", "in the software."),
    "MIT-0": ("permission is hereby granted", "in the software."),
    "Unlicense": ("this is free and unencumbered", "in the software."),
    "Zlib": ("this software is provided 'as-is'", "source distribution."),
}
_WORDS = re.compile(r"[a-z0-9]+")


class Kind(Enum):
    """What a text that speaks of a licence turns out to be."""

    FULL = "full text"
    BOILERPLATE = "boilerplate"
    OTHER = "not recognised"


@lru_cache(maxsize=64)
def shipped(spdx_id: str) -> bytes | None:
    """The text of a licence or exception, or None when vendorctl ships none.

    Raises VendorError (exit code 70) when the installed file is not the one that was released.
    """
    if spdx_id not in SHA256:
        return None
    content = (files("vendorctl.licenses") / "LICENSES" / f"{spdx_id}.txt").read_bytes()
    if sha256(content) != SHA256[spdx_id]:
        raise VendorError(f"the licence text {spdx_id} of this installation was altered", code=ExitCode.INTERNAL)
    return content


def recognise(content: bytes) -> tuple[str, Kind]:
    """What licence a text is, and whether in full: ``("MIT", FULL)``, ``("Apache-2.0", BOILERPLATE)``; ``("", OTHER)``.

    A full text holds every word of the licence in order; its copyright line, layout and punctuation do not matter.
    """
    words = f" {' '.join(_words(content))} "
    # The longest body first: the MIT text without its condition is the one of MIT-0.
    for spdx_id, body in _bodies():
        if body in words:
            return spdx_id, Kind.FULL
    if (
        " licensed under the apache license version 2 0 " in words
        or " apache license version 2 0 january 2004 " in words
    ):
        return "Apache-2.0", Kind.BOILERPLATE
    return "", Kind.OTHER


def is_full_text(spdx_id: str, content: bytes) -> bool:
    """Whether `content` can serve as the text of `spdx_id`: word for word where vendorctl knows it, else plausibly."""
    if spdx_id in _BODY:
        return recognise(content) == (spdx_id, Kind.FULL)
    known = shipped(spdx_id)
    if known is not None:
        return _words(content) == _words(known)
    return len(content.split()) >= 30 and recognise(content)[1] is not Kind.BOILERPLATE


def _words(content: bytes) -> list[str]:
    return _WORDS.findall(content.decode("utf-8", "replace").lower())


@lru_cache(maxsize=1)
def _bodies() -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for spdx_id, (first, last) in _BODY.items():
        text = " ".join((shipped(spdx_id) or b"").decode().lower().split())
        body = text[text.index(first) : text.rindex(last) + len(last)]
        found[spdx_id] = f" {' '.join(_words(body.encode()))} "
    return tuple(sorted(found.items(), key=lambda item: -len(item[1])))
