# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Inputs that once did harm, cut down to what matters: found by fuzzing, or by reading. Each is tried on every run."""

from __future__ import annotations

_X = b"587be6b4c3f93f93c489c0111bba5596147a26cb"
#: A path that came: its row, as git-diff-tree has it.
_ADDED = b":000000 100644 " + b"0" * 40 + b" " + _X + b" A\0"

_LOCK = b'{"version":1,"upstreams":{"p":{"url":"","commit":"%(oid)s","root_tree":"%(oid)s","tree":"%(oid)s",' % {
    b"oid": b"5" * 40
} + b'"include":[],"exclude":[],"files":[%s],"series":[],"patched":"' + b"5" * 40 + b'"}}}'  # fmt: skip

_PLAN = (
    b'{"parameters":[{"name":"x","type":"ptr"},{"name":"n","type":"i32"},{"name":"f","type":"f64"}],"launches":[{"symbol":"k",'
    b'"grid":[%s,["const","i32",1],["const","i32",1]],"block":[["const","i32",1],["const","i32",1],["const","i32",1]],'
    b'"dynamic_lds":["const","i32",0],"arguments":[%s],"fields":[%s],"kernarg_size":%s,"lds":0}]}'
)
_ONE = b'["const","i32",1]'

_RESULT = (
    b'{"schema":"vendorctl/test/1","backend":"e","results":[{"operation":"o","target":"t","instance":"i","sha256":"",'
    b'"reason":"","trials":[{"name":"t","schedules":[],"outputs":[{"name":"y","elements":1,"worst":1.0,"tolerance":%s,'
    b'"histogram":[1],"wrong":%s,"first":""}],"problems":[],"disagreements":[],"notes":[],"instructions":0,'
    b'"fingerprint":""}]%s}]}'
)

CRASHES: dict[str, tuple[bytes, ...]] = {
    # Trailers directly below the title, an empty fact above a stated one, and blanks at the end of a header's signature
    # made a message that read differently once it was written again.
    "message": (
        b"Title\nForwarded: no\nReason: because\n",
        b"Title\n\nBody\n\nOrigin:\nOrigin:\nOrigin: vendor\n",
        b"Subject: x\nSigned-off-by: J <j@example.org> \n\n",
    ),
    # A mode and a path that are no text; a repeated key in a document that is cut short.
    "lock": (
        _LOCK % b'{"path":"a","mode":["100644"],"blob":""}',
        _LOCK % (b'{"path":["a"],"mode":"160000","blob":"' + b"5" * 40 + b'"}'),
        b'{"":{"":"","":{"":"","":"","":[{"":""}],"":"","":""}',
        b'{"upstreams": {}, "upstreamsx": {"version": 1, "version": 2',
        b'{"version":1,"upstreams":' + b"[" * 5000,
    ),
    # Numbers that are no integers.
    "state": (
        b'{"schema":"vendorctl/edit/1","number":Infinity,"file":"0001-x.patch","sha256":""}',
        b'{"schema":"vendorctl/edit/1","number":1e999,"file":"0001-x.patch","sha256":""}',
        b"[" * 5000,
    ),
    # A path that is no text, under a right digest.
    "journal": (b'{"token":"a","title":"sync","prune":[["%"]]}\n', b'{"token":"a","title":"sync","prune":[1]}\n'),
    "ref-table": (b'{"refs":{},"peeled":{},"head":null,"time":1e999}', b"[" * 5000),
    # Stars between letters, and runs of folders: every way to match was tried.
    "glob": (
        b"*a*a*a*a*a*a*a*a*b\n" + b"a" * 250,
        b"**/a/**/a/**/a/**/a/**/a/**/b\n" + b"a/" * 250,
        b"a\\/**/b\na/x/b",
    ),
    # The longest name of a folder, and a user name that ends in `@`.
    "url": (b"ssh://h/" + b"x" * 300, b"https://@:p@example.org/x.git"),
    # A folder object that hashes to its id and is no folder; a path with more levels than a walk can follow.
    "tree": (
        b"100644 blob " + b"5" * 40 + b"\ta.py\0\xff\xff100644 a.py",
        b"100644 blob " + b"5" * 40 + b"\ta.py\0\xff\xff40000 d\0short",
        b"100644 blob " + b"5" * 40 + b"\t" + b"a/" * 1500 + b"a.py\0\xff\xff",
    ),
    # What the library for expressions stumbles over.
    "expression": (
        b"(MIT\tOR\tApache-1.0)AND\tBSD-1-Clause",
        b"(OR MIT) AND MIT",
        b"(MIT OR( ) AND MIT",
        b"(" * 900 + b"MIT",
    ),
    # A header of cat-file with a size that is none.
    "batch": (
        b"5" * 40 + b" no missing\n",
        b"5 blob 2\n",
        _X + b" blob 2\n\xff\xff" + _X + b" blob \n",
        _X + b" blob 2\n\xff\xff" + _X + b" blob -2\nx\n",
    ),
    # Commits without a time, and with times that no calendar has.
    "timeline": (
        b"\0" + _X + b"\0\0\0",
        b"\0" + _X + b"\0\0" + b"9" * 60 + b"\0",
        b"\0" + _X + b"\0\0" + b"9" * 4000 + b"\0",
    ),
    "blame": (
        _X + b" 1 1 1\nauthor J\nauthor-time " + b"9" * 18 + b"\nsummary x\nfilename a.py\n\tx\n",
        _X + b' 1 1 1\nauthor J\nauthor-time 5\nsummary x\nfilename "caf\\303\\251.py"\n\tx\n',
        _X + b" 1 1 1\nauthor J\nsummary x\nfilename a.py\n\tx\n",
    ),
    # Paths that no folder holds, two of one name, a file that is a folder as well, and a row about nothing.
    "changes": (
        _ADDED + b"../x\0",
        (_ADDED + b"a\0") * 2,
        _ADDED + b"a\0" + _ADDED + b"a/b\0",
        _ADDED,
        b":\0a\0",
    ),
    "history": (b"\0" + _X + b"\0\0%aI\0J\0x\0", b"\0x\0\0\0\0\0"),
    "pin-log": (b"\0" + _X + b"\0%aI\0J\0x\0\n" + _ADDED + b"a.py/x\0" + _ADDED + b"a.py/y\0", b"\0" * 7),
    "versions": (b"\0x y\0", b"\0" + _X + b" \0\n:\0a.py\0"),
    # A name with a tab, and a row that is cut short.
    "numstat": (b"1\t2\ta\tb\0", b"1\t2\0"),
    "tree-at": (b"100644 blob " + _X + b"\0", b"100644\ta.py\0"),
    "diffs": (b"x", b""),
    # TOML nested beyond what its reader follows; findings that are none.
    "style": (b"[tool.ruff]\nx = " + b"[" * 3000, b"[tool.ruff]\n\xff\xff[{}]", b"[tool.ruff]\n\xff\xff7"),
    "launch-plan": (
        _PLAN % (b'["arg","i32"]', b"", b"", b"8"),
        _PLAN % (b'["size","i32","x",9]', b"", b"", b"8"),
        _PLAN % (b'["pack",["const","i32",1]]', b"", b"", b"8"),
        _PLAN % (b'["const","i32",1.5]', b"", b"", b"8"),
        _PLAN % (b'["ashr","i32",["const","i32",1],["const","i32",-1]]', b"", b"", b"8"),
        _PLAN % (_ONE, b"", b"", b"1000000000000000000000000000000"),
        _PLAN % (_ONE, b'["const","f16",1e9]', b"[0,2]", b"8"),
        _PLAN % (_ONE, b'["select","i32",["const","i1",1],["arg","f64","f"],["arg","f64","f"]]', b"[0,4]", b"8"),
    ),
    # A name that no manifest could hold.
    "cache-entry": (
        b'{"sha256":"@SHA","plan":' + (_PLAN % (_ONE, b"", b"", b"8")).replace(b'"k"', b'"\\ud800"') + b"}",
    ),
    "test-results": (
        b'{"schema":"vendorctl/test/1","backend":"e","results":["x"]}',
        _RESULT % (b"0", b"1", b""),
        _RESULT % (b"1", b"[]", b""),
        _RESULT % (b"1", b"0", b',"coverage":{"executed":0,"total":0,"missed":[],"unproven":[]}'),
    ),
    # A long instruction of gfx9 with sub-dword selections, which only short ones have: its operands came out negative.
    "decoder": (bytes.fromhex("f40e1ad1f9547c6d942c93e0"),),
    "emulator": (bytes.fromhex("a5fcf40e1ad1f9547c6d942c93e0"),),
}
