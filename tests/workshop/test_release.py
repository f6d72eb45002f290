"""A release of a small course: from the changelog to a page that fetches the code of its tag."""

import json
import zipfile
from datetime import date

import pytest

from workshop import frame, release
from workshop.page import ROOT, notebooks

PAPERS = {
    "CHANGELOG.md": "# Changelog\n\n## 1.2.0, not yet released\n\n- **1.** More.\n\n## 1.1.0, then\n\nOld.\n",
    "pyproject.toml": '[project]\nname = "sample"\nversion = "1.1.0"\n',
    "CITATION.cff": "cff-version: 1.2.0\nversion: 1.1.0\ndate-released: 2026-01-01\n",
    ".zenodo.json": '{\n  "version": "1.1.0",\n  "publication_date": "2026-01-01"\n}\n',
}
CONFIG = "html:\n  use_edit_page_button: true\n  extra_footer: >-\n    <p>Licence</p>\n"
DAY = date(2026, 12, 3)


@pytest.fixture
def ready(course, monkeypatch):
    """The sample course with its papers, committed on main."""
    for part in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{part}_NAME", "Tests")
        monkeypatch.setenv(f"GIT_{part}_EMAIL", "tests@example.org")
    for name, text in PAPERS.items():
        (course / name).write_text(text, encoding="utf-8")
    config = course / "_config.yml"
    config.write_text(config.read_text(encoding="utf-8") + CONFIG, encoding="utf-8")
    release.git(course, "init", "--quiet", "--initial-branch=main")
    commit(course, "Begin")
    return course


def commit(course, message):
    release.git(course, "add", "--all")
    release.git(course, "commit", "--quiet", f"--message={message}")


def all_of(course, what):
    """What all files say at a commit."""
    names = release.git(course, "ls-tree", "-r", "--name-only", what).splitlines()
    return {name: release.git(course, "show", f"{what}:{name}") for name in names}


def test_main_gets_the_papers_and_the_tag_its_own_pages(ready):
    before = all_of(ready, "main")
    assert release.prepare("1.2.0", ready, DAY) == "v1.2.0"
    main, tagged = all_of(ready, "main"), all_of(ready, "v1.2.0")
    assert release.git(ready, "status", "--porcelain", "--branch") == "## main"
    changed = {name for name in main if main[name] != before[name]}
    assert changed == {*PAPERS} and "## 1.2.0, 3 December 2026\n" in main["CHANGELOG.md"]
    for name in {*PAPERS} - {"CHANGELOG.md"}:
        assert "1.2.0" in main[name] and "1.1.0" not in main[name]
    pages = {f"chapters/{page.path.name}" for page in notebooks(ready)}
    changed = {name for name in tagged if tagged[name] != main[name]}
    assert changed == {*pages, "_config.yml", "README.md"}
    for name in pages:
        for version, text in (("main", main[name]), ("v1.2.0", tagged[name])):
            assert f"blob/{version}/" in text and f'/old-course\\", \\"{version}\\"' in text
    assert (
        "button: false" in tagged["_config.yml"] and "Version 1.2.0, 3 Dec" in tagged["_config.yml"]
    )
    assert "blob/v1.2.0/" in tagged["README.md"] and "blob/main/" not in tagged["README.md"]


def test_what_is_not_ready_is_refused(ready):
    start = release.git(ready, "rev-parse", "HEAD")
    for version, told in (("1.2", "three numbers"), ("1.3.0", "CHANGELOG.md says nothing")):
        with pytest.raises(ValueError, match=told):
            release.prepare(version, ready)
    (ready / "index.md").write_text("# Other\n", encoding="utf-8")
    with pytest.raises(ValueError, match="aren't committed"):
        release.prepare("1.2.0", ready)
    release.git(ready, "checkout", "--quiet", ".")
    release.git(ready, "checkout", "--quiet", "-b", "draft")
    with pytest.raises(ValueError, match="'draft'; wanted 'main'"):
        release.prepare("1.2.0", ready)
    release.git(ready, "checkout", "--quiet", "main")
    assert release.git(ready, "rev-parse", "HEAD") == start
    release.prepare("1.2.0", ready)
    with pytest.raises(ValueError, match="a v1.2.0 already"):
        release.prepare("1.2.0", ready)


def test_an_old_page_fetches_old_code(ready, colab, tmp_path):
    """Main goes on behind the tag; each page's start cell brings the code of its own version."""
    release.prepare("1.2.0", ready, DAY)
    module = ready / "taught" / "attention.py"
    module.write_text(module.read_text(encoding="utf-8") + "NEW = True\n", encoding="utf-8")
    commit(ready, "Go on")
    environment = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{ready.as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": frame.address(ready),
    }
    page = notebooks(ready)[0].name
    for version, is_new in (("main", True), ("v1.2.0", False)):
        cells = json.loads(release.git(ready, "show", f"{version}:{page}"))["cells"]
        start = "".join(next(c["source"] for c in cells if c["cell_type"] == "code"))
        code = f"{start}\nimport pathlib\nprint('NEW' in pathlib.Path(course, 'taught/attention.py').read_text())"
        folder = tmp_path / f"as on Colab, {version}"
        folder.mkdir()
        done = colab.python(folder, "-c", code, environment=environment)
        assert (done.stdout.strip(), done.stderr) == (str(is_new), "")


def test_the_book_of_a_release_has_its_own_address(ready):
    assert frame.published(ready) == "https://old-owner.github.io/old-course/"
    release.rewrite(ready / "_config.yml", ("branch: main", "branch: v12.0.3"))
    assert frame.published(ready) == "https://old-owner.github.io/old-course/v12/"


def test_the_files_of_a_release(ready, colab, tmp_path):
    """The notebooks find the course beside them, without a network."""
    release.prepare("1.2.0", ready, DAY)
    html, pdf = tmp_path / "html", tmp_path / "any.pdf"
    (html / "chapters").mkdir(parents=True)
    (html / "chapters" / "a.html").write_text("<p>A</p>")
    pdf.write_bytes(b"%PDF")
    book, paper, pages = release.bundle(html, pdf, ready)
    assert paper.name == "attention-1.2.0-book.pdf" and paper.read_bytes() == b"%PDF"
    assert zipfile.ZipFile(book).namelist() == ["chapters/a.html"]
    assert (ready / "dist" / "notes.md").read_text() == "- **1.** More.\n"
    zipfile.ZipFile(pages).extractall(tmp_path / "here")
    chapters = tmp_path / "here" / "attention-1.2.0" / "chapters"
    code = f"{frame.start_cell(ready)}\nprint(course)"
    done = colab.python(chapters, "-c", code, reachable=False)
    assert (done.stdout.strip(), done.stderr) == (str(chapters.parent), "")
    assert release.LEFT_OUT > {"tests", "_ext"} and all(
        (ROOT / each).exists() for each in release.LEFT_OUT
    )
