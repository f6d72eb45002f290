"""Make the pages light: of what the theme loads on each of them, keep what the book uses.

Why: the theme brings 2,000 icons for some twenty, and rules for everything that a site may have,
some 350 kB with the first page. When the book is written, its pages and scripts tell which icons,
letters of formulas and classes occur; the fonts and stylesheets are cut to these. Sphinx copies
them anew at each build, so nothing is cut twice.

The face of the text, in `fonts/`, is brought along as it is: cut by hand, once (see its README).
"""

import json
import re
import shutil
from itertools import groupby
from pathlib import Path

import tinycss2
from fontTools import subset
from fontTools.ttLib import TTFont
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
FONTS = Path(__file__).parent / "fonts"
PRELOAD = """
    <script>
      if (location.protocol !== "file:")
        for (const face of {})
          document.head.append(Object.assign(document.createElement("link"), {{
            rel: "preload", as: "font", type: "font/woff2", crossOrigin: "", href: face }}));
    </script>"""
FACES = ["fonts/text-regular", "fonts/text-semibold", "vendor/fontawesome/webfonts/fa-solid-900"]
FORMULAS = ["katex/fonts/KaTeX_Main-Regular", "katex/fonts/KaTeX_Math-Italic"]
ICON = re.compile(r"\.(fa-[\w-]+):{1,2}before")


def copy_fonts(app):
    """Put the face of the text beside the book's own files."""
    shutil.copytree(FONTS, Path(app.outdir) / "_static" / "fonts", dirs_exist_ok=True)


def preload_faces(app, pagename, templatename, context, doctree):
    """Let the browser fetch the faces that each page needs before it has read the stylesheets, so
    that what it shows first stays in its place.

    By a script, as a page that is opened from a folder may load a font, but not ahead.
    """
    formulas = FORMULAS if app.env.get_domain("math").has_equations(pagename) else []
    faces = [context["pathto"](f"_static/{face}.woff2", 1) for face in FACES + formulas]
    context["metatags"] = context.get("metatags", "") + PRELOAD.format(json.dumps(faces))


def wanted(selector, names):
    """Whether a page may have what a selector selects. What stands in brackets does not count."""
    while selector != (selector := re.sub(r"\([^()]*\)|\[[^\]]*\]", "", selector)):
        pass
    found = re.findall(r"[.#](-?[A-Za-z_][\w-]*)(?!\\)", selector)
    return "\\" in selector or all(name in names for name in found)


def thin(rules, names):
    """The rules as CSS, without those that select nothing in the book."""
    css = []
    for rule in rules:
        if rule.type == "qualified-rule":
            parts = groupby(rule.prelude, lambda token: token == ",")
            selectors = [tinycss2.serialize(part).strip() for comma, part in parts if not comma]
            if kept := [each for each in selectors if wanted(each, names)]:
                content = " ".join(tinycss2.serialize(rule.content).split())
                css.append(f"{','.join(kept)}{{{content}}}")
        elif rule.type == "at-rule" and rule.lower_at_keyword in ("media", "supports"):
            inner = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
            if inner := thin(inner, names):
                css.append(f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{inner}}}")
        else:
            css.append(rule.serialize())
    return "\n".join(css)


def cut_font(path, letters):
    """Leave in a font the glyphs of these letters; return those that it has."""
    font = TTFont(path)
    has = letters & set(font.getBestCmap())
    options = subset.Options(flavor="woff2", layout_features=["*"], notdef_outline=True)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=has)
    cutter.subset(font)
    subset.save_font(font, str(path), options)
    return has


def lighten(app, exception):
    if exception:
        return
    static = Path(app.outdir) / "_static"
    pages = [path for path in Path(app.outdir).rglob("*.html") if static not in path.parents]
    pages = "\n".join(path.read_text(encoding="utf-8") for path in pages)
    names = set(" ".join(re.findall(r'\b(?:class|id)="([^"]*)"', pages)).split())
    scripts = re.findall(r"<script\b[^>]*>(.+?)</script>", pages, re.DOTALL)
    for script in static.rglob("*.js"):
        if script.name != "fontawesome.js":
            scripts.append(script.read_text(encoding="utf-8"))
    # Among the words of a script are the classes that it gives, and many that are none.
    words = set(re.findall(r"[\w-]+", "\n".join(scripts)))

    icons, known = {}, set()
    for path in static.rglob("*.css"):
        css = path.read_text(encoding="utf-8")
        known.update(re.findall(r"\.(fa-[\w-]+)", css))
        rules = tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True)
        for rule in rules:
            if rule.type == "qualified-rule":
                letter = [token for token in rule.content if token.type == "string"]
                for name in ICON.findall(tinycss2.serialize(rule.prelude)) if letter else []:
                    icons[name] = ord(letter[0].value[:1] or " ")
        path.write_text(thin(rules, names | words), encoding="utf-8")

    codes = {icons[name] for name in (names | words) & icons.keys()}
    drawn = set()
    for path in static.glob("vendor/fontawesome/webfonts/*.woff2"):
        drawn |= cut_font(path, codes)
    for name in sorted(names):
        lost = name in icons and icons[name] not in drawn
        if lost or re.match(r"fa-[a-z]", name) and name not in known:
            LOGGER.warning("the icon %s has no glyph", name, type="lean_pages")
    for path in static.glob("katex/fonts/*.woff2"):
        cut_font(path, set(map(ord, pages)))


def setup(app):
    app.connect("builder-inited", copy_fonts)
    app.connect("html-page-context", preload_faces)
    app.connect("build-finished", lighten)
