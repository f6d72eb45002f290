"""The book on paper: all its pages as one page of HTML, printed by the Chromium that tests it.

What paper looks like stands in `_static/book.css`, as for a reader who prints one page: what is
folded in the text is open, solutions are left out. No script runs, so a live figure is its picture.
"""

import json
import os
import re
import shutil
from html import unescape
from pathlib import Path

BROWSERS = [
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
]
STYLE = """<style>@media print {
    [id^="document-chapters"] { display: block; break-before: page; }
    .bd-article::before { content: TITLE; display: block; font: 700 26pt/1.2 inherit; }
}</style></head>"""


def browser() -> str:
    """The Chromium that CHROMIUM names, or one of the usual names."""
    choice = os.environ.get("CHROMIUM")
    for path in filter(None, map(shutil.which, [choice] if choice else BROWSERS)):
        return path
    raise ValueError(
        "there is no Chromium; install it with: sudo apt-get install chromium (on Ubuntu: sudo snap "
        "install chromium), or name one: CHROMIUM=/path/to/chromium"
    )


def book(html: Path, out: Path, browser: str) -> None:
    """Print a page of HTML, of any length, as PDF."""
    from playwright.sync_api import sync_playwright

    text = html.read_text(encoding="utf-8")
    title = re.search(r"<title>([^<]*)", text)
    style = STYLE.replace("TITLE", json.dumps(unescape(title[1]) if title else ""))
    text = text.replace("</head>", style, 1)
    text = text.replace(' data-theme="auto"', ' data-theme="light"').replace(' loading="lazy"', "")
    html.write_text(text, encoding="utf-8")
    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page(java_script_enabled=False)
        page.set_default_timeout(600_000)
        page.goto(html.resolve().as_uri())
        page.pdf(path=out, prefer_css_page_size=True, outline=True, tagged=True)
        chromium.close()
