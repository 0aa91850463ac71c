# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The report page in a real browser: no error, filters and addresses that work, and nothing hostile that runs."""

from __future__ import annotations

import json
import re
import runpy
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from report.pagesamples import hostile_page, large_page
from report.samples import HOSTILE, finding
from support.workspace import make_workspace
from vendorctl.drift.health import PatchHealth
from vendorctl.model import Severity
from vendorctl.report.page import render_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

#: What a headless Chromium needs on a machine without a screen, a GPU or a network.
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests of this module; they are skipped, and counted as that, where there is none."""
    api = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class Visit:
    """A page that is open; `faults` are the console's errors and warnings and the uncaught exceptions so far."""

    def __init__(self, browser: Browser, file: Path, address: str = "", *, width: int = 1200) -> None:
        self.faults: list[str] = []
        self.requests: list[str] = []
        self.page: Page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
        self.page.on("console", lambda message: self.faults.append(message.text))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(f"{file.as_uri()}{address}")
        self.page.wait_for_function("document.documentElement.dataset.ready === 'yes'")

    def visible(self, selector: str) -> int:
        """How many elements of that kind are not filtered out."""
        return self.page.locator(f"{selector}:not([hidden])").count()

    def unfold(self) -> None:
        """Open whatever is folded."""
        self.page.evaluate(
            "for (const each of document.querySelectorAll('details')) { each.fill(); each.open = true; }"
        )


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "index.html"
    file.write_text(render_page(large_page()), "utf-8")
    return file


@pytest.fixture
def small(tmp_path: Path) -> Path:
    file = tmp_path / "index.html"
    file.write_text(render_page(large_page(6, 8)), "utf-8")
    return file


def test_it_draws_every_section_and_loads_nothing(browser: Browser, small: Path) -> None:
    visit = Visit(browser, small)
    titles = visit.page.locator("h2").all_inner_texts()
    assert titles == [
        "Upstreams", "Findings", "Drift", "Patches", "Differences", "Licences", "Objects", "Kernel tests",
    ]  # fmt: skip
    assert visit.page.locator("svg").count() == 5
    assert visit.page.locator("#objects table").count() == 2  # the third is folded
    visit.unfold()
    assert visit.faults == []
    assert visit.requests == [small.as_uri()]


def test_500_patches_and_2000_files_are_there_within_two_seconds(browser: Browser, large: Path) -> None:
    timings = []
    for _ in range(3):  # the best of three, because other tests share the machine
        visit = Visit(browser, large)
        timings.append(visit.page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"))
        assert visit.visible("#patches details") == 500
        assert visit.visible("#files details") == 2000
        assert visit.faults == []
        visit.page.close()
    assert min(timings) < 2000, timings


def test_filters_hide_what_does_not_fit_and_stand_in_the_address(browser: Browser, small: Path) -> None:
    visit = Visit(browser, small)
    assert visit.visible("#findings article") == 60
    form = visit.page.locator("#findings form")
    form.locator("select[name=severity]").select_option("error")
    form.locator("select[name=rule]").select_option("VC239")
    assert visit.visible("#findings article") == 10
    assert form.locator("output").inner_text() == "10 of 60"
    assert visit.page.evaluate("location.hash") == "#findings?severity=error&rule=VC239"
    form.locator("input").fill("no such text")
    assert visit.visible("#findings article") == 0


def test_an_address_sets_filters(browser: Browser, small: Path) -> None:
    visit = Visit(browser, small, "#patches?health=conflict")
    assert visit.visible("#patches details") == 1
    visit.page.evaluate("location.hash = '#patches?text=number%206'")
    visit.page.wait_for_function("document.querySelectorAll('#patches details:not([hidden])')[0].id.endsWith('0006')")


def test_an_address_opens_one_patch_file_or_finding(browser: Browser, small: Path) -> None:
    visit = Visit(browser, small, "#patch-up-0003")
    entry = visit.page.locator("#patch-up-0003")
    assert entry.get_attribute("open") is not None
    assert "reason 3" in entry.inner_text()
    visit = Visit(browser, small, "#file-up-kernels/part_2/file_2.py")
    assert visit.page.locator("[id='file-up-kernels/part_2/file_2.py'] table.diff").count() == 1
    identity = visit.page.locator("article").nth(40).get_attribute("id")
    visit = Visit(browser, small, f"#{identity}")
    assert visit.page.evaluate("scrollY") > 0
    assert Visit(browser, small, "#%zz").faults == []


def test_every_changed_line_names_its_patch(browser: Browser, small: Path) -> None:
    visit = Visit(browser, small, "#patch-up-0001")
    rows = visit.page.locator("#patch-up-0001 table.diff").first.locator("tr").all()
    told = [row.locator("td").all_inner_texts() for row in rows[-2:]]
    assert told == [["14", "0001", "old", "14", "0001", "new"], ["", "", "", "15", "0002", "end"]]
    assert visit.page.locator("#patch-up-0001 caption").first.inner_text().split("  ")[0].startswith("line 1")


@pytest.mark.parametrize("width", [1200, 390], ids=["desk", "phone"])
def test_nothing_hostile_runs_or_becomes_markup(browser: Browser, tmp_path: Path, width: int) -> None:
    file = tmp_path / "index.html"
    file.write_text(render_page(hostile_page()), "utf-8")
    visit = Visit(browser, file, width=width)
    visit.unfold()
    assert visit.page.evaluate("window.owned") is None
    assert visit.page.locator("script").count() == 2
    assert visit.page.locator("img, b, iframe, object, embed, [onerror], [style]").count() == 0
    links = [str(link.get_attribute("href")) for link in visit.page.locator("a").all()]
    assert all(link.startswith(("#", "../")) for link in links)
    assert HOSTILE[0] in (visit.page.locator("#files summary").first.text_content() or "")
    assert "\u202e" not in visit.page.content()
    assert visit.faults == []
    assert visit.requests == [file.as_uri()]


def test_the_policy_would_stop_a_script_that_got_in(browser: Browser, small: Path) -> None:
    text = small.read_text("utf-8")
    small.write_text(text.replace("</footer>", "</footer><script>window.owned = 1</script>"), "utf-8")
    visit = Visit(browser, small)
    assert visit.page.evaluate("window.owned") is None
    assert any("Content Security Policy" in fault for fault in visit.faults)


def test_it_fits_a_phone(browser: Browser, small: Path) -> None:
    visit = Visit(browser, small, "#patch-up-0001", width=390)
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert visit.page.locator("#patch-up-0001 table.diff.narrow").count() > 0


def test_keys_reach_everything_and_labels_say_what_it_is(browser: Browser, small: Path) -> None:
    visit = Visit(browser, small)
    visit.page.keyboard.press("Tab")
    assert visit.page.evaluate("document.activeElement.textContent") == "Skip to the report"
    visit.page.locator("#patches summary").first.focus()
    visit.page.keyboard.press("Enter")
    assert visit.page.locator("#patches details[open]").count() == 1
    unlabelled = "[...document.querySelectorAll('input,select')].filter((each) => !each.labels.length).length"
    assert visit.page.evaluate(unlabelled) == 0
    assert visit.page.evaluate("[...document.querySelectorAll('svg')].every((each) => each.getAttribute('aria-label'))")


@pytest.mark.parametrize("width", [1200, 390], ids=["desk", "phone"])
def test_strings_over_several_lines_are_one_colour(browser: Browser, tmp_path: Path, width: int) -> None:
    old = '"""One.\n\nwhile it is text"""\nx = 1\n' + "y = 0\n" * 9 + 'S = """\nfor\nclass\n"""\n'
    space = make_workspace(tmp_path / "w", {"k/a.py": old})
    space.sync()
    new = old.replace("while it", "if it").replace("x = 1", "x = 'for'").replace("class\n", "def f(): 'a\n")
    space.record("Change text", {"k/a.py": new})
    result = space.must("report", "--html", str(tmp_path / "page"), "--format", "json")
    visit = Visit(browser, Path(result.json()["page"]), "#patch-up-0001", width=width)
    lines = visit.page.locator("#patch-up-0001 td.code")
    marks = {
        (line.text_content(), "".join(line.locator("span").evaluate_all("(all) => all.map((each) => each.className)")))
        for line in lines.all()
    }
    assert {('while it is text"""', "s"), ('if it is text"""', "s"), ("for", "s"), ("class", "s")} <= marks
    assert {("def f(): 'a", "s"), ("x = 1", "n"), ("x = 'for'", "s")} <= marks


def test_many_alike_are_folded_and_an_address_still_finds_each(browser: Browser, small: Path) -> None:
    visit = Visit(browser, small)
    assert visit.page.locator("#findings details.group").count() == 4  # two rules as warnings and as notes
    assert visit.page.locator("#findings > article.error").count() == 20
    hidden = visit.page.locator("#findings details.group article").first
    assert not hidden.is_visible()
    visit.page.locator("#findings select[name=severity]").select_option("note")
    assert visit.visible("#findings details.group") == 2
    assert visit.page.locator("#findings details.group:not([hidden]) summary .chip").first.text_content() == "10 notes"
    visit = Visit(browser, small, f"#{hidden.get_attribute('id')}")
    assert visit.page.locator("#findings details.group article").first.is_visible()


def test_what_is_not_known_is_named_with_its_command(browser: Browser, small: Path) -> None:
    visit = Visit(browser, small)
    row = visit.page.locator("#drift tr", has_text="other")
    assert row.locator("code").inner_text() == "vendorctl status --fetch"
    assert visit.page.locator("#overview tr", has_text="other").inner_text().count("not known") == 2


def test_every_health_of_a_patch_has_its_colour(browser: Browser, small: Path) -> None:
    visit = Visit(browser, small)
    chips = visit.page.locator("#patches summary .chip").all()
    kinds = {chip.text_content(): chip.get_attribute("class") for chip in chips}
    for health in PatchHealth:
        assert kinds[health.value] in {"chip good", "chip note", "chip warning", "chip error"}, health


@pytest.mark.parametrize(
    ("severities", "verdict"),
    [
        ((), "nothing wrong"),
        ((Severity.NOTE,), "nothing wrong"),
        ((Severity.WARNING, Severity.WARNING), "no errors, 2 warnings"),
        ((Severity.ERROR, Severity.WARNING), "1 error, 1 warning"),
    ],
)
def test_the_verdict_counts_warnings(severities: tuple[Severity, ...], verdict: str) -> None:
    found = tuple(finding(f"finding {at}", severity=severity) for at, severity in enumerate(severities))
    assert f"<strong>{verdict}</strong>" in render_page(replace(large_page(1, 1), findings=found))


def test_text_has_contrast_in_both_themes() -> None:
    style = re.search(r"<style>(.*?)</style>", render_page(large_page(1, 1)), re.DOTALL)
    assert style is not None
    light, dark = re.findall(r":root \{(.*?)\}", style[1], re.DOTALL)
    for theme in (light, dark):
        colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", theme))
        for name in ("fore", "soft", "link", "error", "warning", "note", "good", *(f"p{at}" for at in range(6))):
            assert contrast(colours[name], colours["panel"]) >= 4.5, name
        for name in ("fore", "word", "text", "remark", "number"):
            assert min(contrast(colours[name], colours[back]) for back in ("panel", "add", "del")) >= 4.5, name


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2.1, from 1 to 21."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_printing_unfolds_what_is_shown(browser: Browser, small: Path) -> None:
    visit = Visit(browser, small)
    visit.page.emulate_media(media="print")
    visit.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert visit.page.locator("#patches details[open]").count() == 6
    assert not visit.page.locator("nav").is_visible()
    assert visit.page.pdf().startswith(b"%PDF")
    visit.page.set_viewport_size({"width": 794, "height": 1123})  # A4 at 96 dots per inch
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= 794


def test_the_pictures_are_taken_and_a_fault_of_the_page_is_told(browser: Browser, small: Path, tmp_path: Path) -> None:
    tool = runpy.run_path(str(Path(__file__).parent.parent.parent / "tools/screenshot.py"))
    assert tool["photograph"](browser, small, tmp_path / "pictures") == []
    assert {file.name for file in (tmp_path / "pictures").iterdir()} == {
        "light.png",
        "dark.png",
        "phone.png",
        "print.pdf",
    }
    assert (tmp_path / "pictures/light.png").read_bytes() != (tmp_path / "pictures/dark.png").read_bytes()
    text = small.read_text("utf-8")
    small.write_text(text.replace("default-src", "bad-directive 1; default-src", 1), "utf-8")
    wrong = tool["photograph"](browser, small, tmp_path / "more")
    assert any("bad-directive" in each for each in wrong)


def test_the_same_data_gives_the_same_bytes_and_no_clock() -> None:
    assert render_page(large_page(3, 3)) == render_page(large_page(3, 3))


def test_the_command_writes_a_page_of_a_workspace(browser: Browser, tmp_path: Path) -> None:
    space = make_workspace(tmp_path / "w", {"k/a.py": "x = 1\n", "LICENSE": "MIT\n"}, {"k/a.py": "x = 1\ny = 2\n"})
    space.sync()
    space.record("Set x <b>to</b> two", {"k/a.py": "x = 2\n"})
    space.must("status", "--fetch")
    result = space.must("report", "--html", str(tmp_path / "page"), "--format", "json")
    file = Path(json.loads(result.out)["page"])
    visit = Visit(browser, file)
    visit.unfold()
    text = visit.page.locator("body").inner_text()
    assert "Set x <b>to</b> two" in text
    assert "1 commit behind" in text
    assert visit.faults == []


@pytest.mark.parametrize(
    "document",
    ["{", "[" * 5000, "{}", '{"schema": "vendorctl/test/1", "backend": "e", "results": [{}]}'],
)
def test_results_of_another_form_are_refused(tmp_path: Path, document: str) -> None:
    space = make_workspace(tmp_path / "w", {"a.py": "x = 1\n"})
    (space.root / "tests.json").write_text(document)
    refused = space.run("report", "--html", "page", "--tests", "tests.json")
    assert (refused.code, "tests.json: not a report of the form vendorctl/test/1" in refused.err) == (2, True)
    assert not (space.root / "page").exists()
