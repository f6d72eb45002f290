"""What live figures say, in another language, and the example of live/README.md."""

import re
import shutil

import pytest

from live import bundle, words
from tests.live.figure import FRAMES, SAY, figure_of

CODE = """text(_`two ${a.keys}, ${b.keys}`, _`"all"`, `M${_`at ${f({ b: "}" }, `}`)} or ${_`off`}`}`); // (_, i)"""
SENTENCES = ["two {keys}, {2}", '"all"', "at {1} or {2}", "off"]


def test_sentences_are_found_and_marks_go():
    code = words.in_language(CODE)
    assert code == CODE.replace('_`"all"`', r'"\"all\""').replace("_`off`", '"off"').replace("_`", "`")
    of = [words.named(words.parts(CODE, mark.end())[0])[0] for mark in words.MARK.finditer(CODE)]
    assert of == SENTENCES


def test_a_translation_puts_in_what_the_script_does():
    others = dict(zip(SENTENCES, ("{2} `und` {keys}", 'tous "', "${1}", "aus")))
    with pytest.raises(ValueError, match=r"'at \{1\} or \{2\}' is translated as '\$\{1\}'; wanted"):
        words.in_language(CODE, others.get)
    others["at {1} or {2}"] = "{2} ${1}"
    code = words.in_language(CODE, others.get)
    expected = r"""text(`${b.keys} \`und\` ${a.keys}`, "tous \"", `M${`${"aus"} $${f({ b: "}" }, `}`)}`}`); // (_, i)"""
    assert code == expected


ACCENTS = dict(zip("aeiou", "áéíóú"))


def accented(message):
    """A translation in which each vowel has an accent; what is put in, {names}, stays."""
    return re.sub(r"\{\w+\}|[aeiou]", lambda match: ACCENTS.get(match[0], match[0]), message)


def test_figures_speak_another_language(opened):
    def html(kind):
        script = f"<script>{bundle.script(kind, say=accented)}</script>"
        return bundle.SCRIPT.sub(lambda _: script, figure_of(kind).html())

    page = opened(*map(html, bundle.KINDS))
    page.evaluate(FRAMES)
    page.evaluate("""() => document.querySelectorAll("attention-live-1").forEach(({ shadowRoot }) =>
        shadowRoot.querySelector(".ask button, input[type=checkbox]")?.click())""")
    texts = page.evaluate("""() => [...document.querySelectorAll("attention-live-1")].map(({ shadowRoot }) =>
        [...shadowRoot.querySelectorAll(".title, .hint, .ask > span")].map((each) => each.textContent))""")
    assert len(texts) == len(bundle.KINDS) and all(texts)
    assert [text for text in sum(texts, []) if not {*ACCENTS.values()} & {*text}] == []  # names stay
    assert page.faults == []


def test_the_example_of_the_readme_is_a_figure(node, tmp_path):
    code = re.search(r"(?s)```js\n(.*?)```", (bundle.HERE / "README.md").read_text("utf-8"))[1]
    for name in ("core", "drawing", "numbers"):
        shutil.copy(bundle.HERE / f"{name}.js", tmp_path)
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "pair.js").write_text(code, encoding="utf-8")
    script = bundle.joined(tmp_path / "figures" / "pair.js")
    ((text, table, _),) = node.run(script + SAY, kind="pair", spec=dict(other=0), states=[dict(score=3)])
    assert text == "The first score gets 0.95 of the weight." and table[1] == ["0.95", "0.05"]
