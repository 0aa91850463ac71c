# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Photographs the report of this repository: `make screenshot`, or `python tools/screenshot.py [RESULTS]`.

Writes the page to build/report and pictures of it to build/screenshots: light, dark, as a phone shows it, and printed.
RESULTS is what `vendorctl test --format json` wrote, to have kernel tests on the page, too. Fails when the page logs
an error or is not drawn within two seconds.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "build" / "report"
PICTURES = ROOT / "build" / "screenshots"

#: What a headless Chromium needs on a machine without a screen, a GPU or a network.
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
#: Name of the picture, width and height of the window in CSS pixels, colour scheme.
WINDOWS = (("light", 1280, 900, "light"), ("dark", 1280, 900, "dark"), ("phone", 390, 844, "light"))
#: The browser leaves out what is not in the window; a picture of the whole page needs it.
DRAW_ALL = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("details, .finding { content-visibility: visible !important }");
  document.adoptedStyleSheets = [sheet];
}"""
#: The most that drawing may take, in milliseconds.
LIMIT = 2000


def photograph(browser: Browser, page: Path, folder: Path) -> list[str]:
    """Take the pictures of `page`, and return what is wrong with it."""
    wrong: list[str] = []
    folder.mkdir(parents=True, exist_ok=True)
    for name, width, height, scheme in WINDOWS:
        view = browser.new_page(
            viewport={"width": width, "height": height}, color_scheme="dark" if scheme == "dark" else "light"
        )
        view.on("console", lambda message: wrong.append(message.text))
        view.on("pageerror", lambda error: wrong.append(str(error)))
        view.goto(page.as_uri())
        view.wait_for_function("document.documentElement.dataset.ready === 'yes'")
        took = view.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
        if took > LIMIT:
            wrong.append(f"{name}: drawn after {took:.0f} ms; {LIMIT} ms are allowed")
        view.evaluate(DRAW_ALL)
        view.screenshot(path=folder / f"{name}.png", full_page=True)
        print(f"wrote {folder / name}.png ({width} wide, drawn in {took:.0f} ms)")
        if name == "light":
            view.pdf(path=folder / "print.pdf", format="A4")
            print(f"wrote {folder / 'print.pdf'}")
        view.close()
    return wrong


def main(arguments: list[str]) -> int:
    """Write the page, photograph it, and return the exit code."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        print("error: no chromium on this machine\n  hint: `make system` installs it on Debian", file=sys.stderr)
        return 7
    results = [f"--tests={arguments[0]}"] if arguments else []
    command = [sys.executable, "-m", "vendorctl", "-C", str(ROOT), "report", "--html", str(PAGE), *results]
    if (code := subprocess.run(command, check=False).returncode) != 0:
        return code
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        wrong = photograph(browser, PAGE / "index.html", PICTURES)
        browser.close()
    for each in wrong:
        print(f"error: {each}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
