"""What a translated book is made of: messages, and parts that are known without English words."""

import re

import pytest
from docutils import nodes

from live.bundle import TAG, spec_of
from tests.built import ROOT


@pytest.fixture
def extensions(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "_ext")


def test_a_caption_is_known_by_its_number(extensions):
    from dress import numbered

    def paragraph(bold, after, before=""):
        return nodes.paragraph("", before, nodes.strong("", bold), nodes.Text(after))

    for bold in ("Figure 3.12.", "图 3.12。", "3.12. ábra"):
        assert numbered(paragraph(bold, " What it shows.")).groups() == ("3", "12")
    assert not numbered(paragraph("Figure 3.1.", "", before="See "))
    assert not numbered(paragraph("No number.", " Words."))
    assert not numbered(paragraph("Version 3.1.2.", " Words."))


LIVE = f'<{TAG} kind="b" spec=\'{{"alt":"A b."}}\'><img alt="A b." src="c"></{TAG}>'


def test_what_html_says_is_a_message(extensions):
    from messages import Html, labelled

    for html, message, translated, wanted in (
        ("<details>\n<summary>Why <code>a</code>?</summary>\n", "Why <code>a</code>?", "B", ">B<"),
        ('<svg role="img" aria-label="An &quot;a&quot;.">', 'An "a".', 'Ein "a".', "Ein &quot;"),
        (LIVE, "A b.", 'Ein "b".', 'alt="Ein &quot;b&quot;."'),
    ):
        node = Html("", html, format="html")
        node.preserve_original_messages()
        assert node.extract_original_messages() == [message]
        node.apply_translated_message(message, translated)
        assert wanted in node.astext()
    assert spec_of(node.astext()) == {"alt": 'Ein "b".'}
    assert labelled('<text x="1">a</text><text></text>') == '<text x="1">a</text><text></text>'


def test_each_word_of_the_book_is_in_its_catalogue(extensions):
    from messages import WORDS
    from not_found import ADVICE

    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "_ext").glob("*.py"))
    asked = {said for _quote, said in re.findall(r"""\b_\((["'])(.+?)\1\)""", code)}
    assert {*WORDS} == asked - {"..."} | {ADVICE}
