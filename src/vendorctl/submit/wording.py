# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What a patch says upstream: its title and text, without the facts that only concern us, signed off.

`Origin`, `Forwarded`, `Applied-Upstream` and `Reason` are ours (DEP-3 and this project); upstream's readers get the
reason as text, where the patch has no text of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from vendorctl.series.patch import Patch

#: Trailers that mean something in any project; see Documentation/process/submitting-patches of Linux.
_PUBLIC = frozenset(
    {
        "acked-by",
        "bug",
        "closes",
        "co-authored-by",
        "co-developed-by",
        "fixes",
        "helped-by",
        "link",
        "refs",
        "reported-by",
        "reviewed-by",
        "see-also",
        "suggested-by",
        "tested-by",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The message of one commit to be sent. `author` is ``Name <mail>``, `date` as RFC 5322 writes it.

    `withheld` are trailers that stay at home although nobody declared them to be ours: worth a look.
    """

    title: str
    body: str
    author: str
    date: str
    trailers: tuple[tuple[str, str], ...]
    withheld: tuple[str, ...] = ()

    @property
    def signed(self) -> bool:
        """Whether anybody signed the patch off."""
        return any(name.lower() == "signed-off-by" for name, _value in self.trailers)

    @property
    def text(self) -> str:
        """The whole message, as a commit holds it."""
        trailers = "\n".join(f"{name}: {value}" for name, value in self.trailers)
        return "\n\n".join(part for part in (self.title, self.body, trailers) if part) + "\n"


def word_patch(patch: Patch, signer: str | None) -> Wording:
    """The message for upstream; `signer` (``Name <mail>``) signs it off unless it is signed by that person already."""
    trailers = patch.trailers
    kept = [(name, value) for name, value in trailers.other if name.lower() in _PUBLIC]
    signatures = [*trailers.signed_off_by, *([signer] if signer and signer not in trailers.signed_off_by else [])]
    return Wording(
        title=patch.title,
        body=patch.body.strip("\n") or as_sentence(trailers.reason),
        author=patch.author,
        date=patch.date,
        trailers=(*kept, *(("Signed-off-by", signature) for signature in signatures)),
        withheld=tuple(name for name, _value in trailers.other if name and name.lower() not in _PUBLIC),
    )


def as_sentence(reason: str) -> str:
    """A reason with a capital at its start and a full stop at its end."""
    text = reason.strip()
    return text if not text else text[0].upper() + text[1:] + ("" if text[-1] in ".!?" else ".")
