"""What live figures say, for translators: in a script each sentence that a reader sees is _`so marked`.

Nothing is called `_`: the mark goes when scripts are joined. Of what stands in `${...}` a translator sees
the name, {kept} for `${this.kept}`, or its number, {1}, where it is more than a name. Where such a one
has words, they are messages of their own.
"""

import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
MARK = re.compile(r"(?<![\w$.])_`")
STRING = re.compile(r'"(?:\\.|[^"\\])*"|' r"'(?:\\.|[^'\\])*'")


def parts(code, at):
    """A template from behind its first backtick: words and expressions by turns, and where it ends."""
    pieces = [""]
    while code[at] != "`":
        if code.startswith("${", at):
            end = closing(code, at + 2)
            pieces += [code[at + 2 : end], ""]
            at = end + 1
        else:
            step = 1 + (code[at] == "\\")
            pieces[-1] += code[at : at + step]
            at += step
    return pieces, at + 1


def closing(code, at):
    """Where the brace is that closes an expression."""
    depth = 1
    while depth:
        if code[at] == "`":
            at = parts(code, at + 1)[1]
        elif string := STRING.match(code, at):
            at = string.end()
        else:
            depth += {"{": 1, "}": -1}.get(code[at], 0)
            at += 1
    return at - 1


def named(found):
    """A template as a message, and its expressions by the names that they have there."""
    message, expressions = found[0], {}
    for number, (expression, words) in enumerate(zip(found[1::2], found[2::2]), start=1):
        name = re.sub(r"^[\w.]*\.", "", expression)
        if not re.fullmatch(r"\w+", name) or expressions.get(name, expression) != expression:
            name = str(number)
        expressions[name] = expression
        message += f"{{{name}}}{words}"
    return message, expressions


def template(message, expressions, say):
    """The string of JavaScript that says a message in a language."""
    translation = say(message).replace("\n", " ")
    words, names = re.split(r"\{(\w+)\}", translation)[::2], re.findall(r"\{(\w+)\}", translation)
    if {*names} != {*expressions}:
        expected = ", ".join(f"{{{name}}}" for name in expressions) or "nothing in braces"
        raise ValueError(f"{message!r} is translated as {translation!r}; wanted {expected}")
    if not names:
        return '"' + translation.replace('"', r"\"") + '"'
    if translation != message:
        words = [re.sub(r"`|\$(?=\{)", r"\\\g<0>", text) for text in words]
    places = ["${" + in_language(expressions[name], say) + "}" for name in names]
    return "`" + "".join(map("".join, zip(words, [*places, ""]))) + "`"


def in_language(code, say=str):
    """A script without marks, whose sentences are `say(message)`."""
    out, at = "", 0
    while match := MARK.search(code, at):
        inside, end = parts(code, match.end())
        out += code[at : match.start()] + template(*named(inside), say)
        at = end
    return out + code[at:]


def messages():
    """(message, file, line) of all that live figures say."""
    for path in sorted(HERE.rglob("*.js")):
        code = path.read_text(encoding="utf-8")
        for match in MARK.finditer(code):
            message, _ = named(parts(code, match.end())[0])
            yield message, path.relative_to(HERE.parent), 1 + code.count("\n", 0, match.start())
