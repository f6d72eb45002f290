"""`utils/data/pairs.py`: the pairs it reads from files and from the web, and what it refuses."""

import bz2
import gzip
import hashlib
import re
import socket
import threading
import tomllib
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest
import torch

from tests import pages
from utils.data import pairs
from utils.data.pairs import SAMPLE, read_pairs
from utils.data.translation import corpus

TEXT = "Go.\tVa !\tby a\nDid he?\tIl l'a fait ?\tby b\nYes.\tOui.\tby c\n"
PAIRS = [("Go.", "Va !"), ("Did he?", "Il l'a fait ?"), ("Yes.", "Oui.")]


def sum_of(data):
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def file(tmp_path):
    """Write a file, and return its path."""
    def written(data, name="pairs.txt"):
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path
    return written


def zipped(path, **texts):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            archive.writestr(name.replace("__", "."), text)
    return path


# ---------------------------------------------------------------- what is read
@pytest.mark.parametrize("text", [
    TEXT,
    TEXT.rstrip("\n"),
    "\ufeff" + TEXT,
    TEXT.replace("\n", "\r\n"),
    TEXT.replace("\n", "\n\n \n\t\n"),
    TEXT.replace("\t", " \t\u00a0 "),
    TEXT.replace("\tby a", "").replace("\tby c", "\tby c\tand more"),
])
def test_pairs_are_read_in_the_order_of_the_file(file, text):
    assert read_pairs(file(text)) == PAIRS
    assert read_pairs(str(file(text)), [1, 0]) == [(b, a) for a, b in PAIRS]


def test_only_a_newline_ends_a_line_and_a_quote_is_a_letter(file):
    path = file('"Go\u2028on\x0b," he\x85said.\t« Va ! "\n')
    assert read_pairs(path) == [('"Go\u2028on\x0b," he\x85said.', '« Va ! "')]


def test_columns_of_tatoeba(file):
    path = file("".join(f"{i}\t{a}\t{i + 50}\t{b}\n" for i, (a, b) in enumerate(PAIRS)))
    assert read_pairs(path, columns=(1, 3)) == PAIRS


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_limit_reads_no_further(file, limit):
    assert read_pairs(file(TEXT), limit=limit) == PAIRS[:limit]
    if limit < 4:
        assert read_pairs(file(TEXT + "broken"), limit=limit) == PAIRS[:limit]


def test_packed_files(file, tmp_path):
    data = TEXT.encode()
    assert read_pairs(file(gzip.compress(data), "a.tsv.gz")) == PAIRS
    assert read_pairs(file(bz2.compress(data), "a.tsv.BZ2")) == PAIRS
    assert read_pairs(zipped(tmp_path / "a.zip", fra__txt=TEXT, _about__txt="About\n")) == PAIRS
    assert read_pairs(zipped(tmp_path / "a.zip", fra__tsv=TEXT, picture__png="")) == PAIRS


def test_home_is_understood(file, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert read_pairs(f"~/{file(TEXT).name}") == PAIRS


def test_checksum_of_a_file_on_this_machine(file):
    path, other = file(TEXT), sum_of(b"other")
    assert read_pairs(path, sha256=sum_of(TEXT.encode())) == PAIRS
    assert read_pairs(path, sha256=sum_of(TEXT.encode()).upper()) == PAIRS
    with pytest.raises(ValueError) as error:
        read_pairs(path, sha256=other)
    assert str(error.value) == f"sha256 of {path} is {sum_of(TEXT.encode())}; wanted {other}"


# ---------------------------------------------------------------- what is refused
@pytest.mark.parametrize("data, words", [
    ("", "holds no pair; wanted one per line"),
    ("\ufeff\n \r\n\t\n", "holds no pair"),
    ("a\tb\n\nc\n", r"line 3: 1 columns; wanted 2 or more, for columns \(0, 1\)"),
    ("a\tb\nc\t\n", r"line 2: wanted two sentences, got \('c', ''\)"),
    ("a\tb\n \tc\n", r"line 2: wanted two sentences, got \('', 'c'\)"),
    ("a\tb\na\té\n".encode("latin-1"), r"line 2, byte 3: wanted UTF-8, got b'\\xe9'"),
    (TEXT.encode("utf-16"), "line 1, byte 1: wanted UTF-8"),
])
def test_lines_that_give_no_pair(file, data, words):
    path = file(data)
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}.*{words}"):
        read_pairs(path)


def test_too_few_columns_for_those_that_are_asked_for(file):
    with pytest.raises(ValueError, match=r"line 1: 3 columns; wanted 4 or more, for columns \(1,"):
        read_pairs(file(TEXT), columns=(1, 3))


@pytest.mark.parametrize("data, name", [
    (gzip.compress(TEXT.encode())[:-20], "a.gz"),
    (gzip.compress(TEXT.encode())[:10] + b"\xff" * 50, "b.gz"),
    (bz2.compress(TEXT.encode())[:-20], "a.bz2"),
    (TEXT, "b.bz2"),
    (TEXT, "c.gz"),
    (TEXT, "a.zip"),
], ids=["a part", "other bytes", "a part", "plain", "plain", "plain"])  # gzip writes the time
def test_files_that_are_not_packed_as_they_say(file, data, name):
    path = file(data, name)
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))} cannot be unpacked: ."):
        read_pairs(path)


@pytest.mark.parametrize("texts", [dict(), dict(_about__txt=TEXT), dict(a__txt=TEXT, b__txt=TEXT)])
def test_zip_without_one_text(tmp_path, texts):
    count = 2 * ("a__txt" in texts)
    with pytest.raises(ValueError, match=f"a.zip cannot be unpacked: {count} files .txt or .tsv"):
        read_pairs(zipped(tmp_path / "a.zip", **texts))


@pytest.mark.parametrize("argument, value, wanted", [
    *(("columns", value, r"two different whole numbers from 0, as \(0, 1\)") for value in (
        (0,), (0, 1, 2), (1, 1), (-1, 0), (0, True), (0, 1.0), ("0", "1"), "01", 1, None)),
    *(("limit", value, "a whole number from 1, or None") for value in (0, -1, 2.0, True, "3")),
    *(("sha256", value, "64 hexadecimal digits, or None") for value in (
        "", "ab", "g" * 64, "a" * 63, "a" * 65, "a" * 64 + "\n", b"a" * 64, 1)),
    *(("where", value, r"a path or an http\(s\) address") for value in (None, 3, b"pairs.txt")),
])
def test_arguments_that_are_refused(argument, value, wanted):
    arguments = dict(where=SAMPLE) | {argument: value}
    got = re.escape(repr(value))
    with pytest.raises(ValueError, match=f"^{argument} is {got}; wanted {wanted}$"):
        read_pairs(**arguments)


@pytest.mark.parametrize("where", ["nowhere.tsv", "", "ftp://example.org/pairs.tsv", "."])
def test_no_such_file(where):
    with pytest.raises(FileNotFoundError, match=f"^where is '{where}', and there is no such file; "
                                                r"wanted the path of a file or an http\(s\) addr"):
        read_pairs(where)


# ---------------------------------------------------------------- the web
@pytest.fixture
def web(monkeypatch, tmp_path):
    """A server on this machine: its address, what it was asked, the folder for what is kept."""
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.setenv(name, "127.0.0.1")
    monkeypatch.setattr(pairs, "TIMEOUT", 2)
    asked, bodies, done = [], {}, threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            kind = self.path.split("/")[1]
            if kind == "slow":
                done.wait(20)
            if kind == "moved":
                self.send_response(302)
                self.send_header("Location", "/whole/pairs.txt")
                self.end_headers()
            elif kind not in ("whole", "part", "slow"):
                self.send_error(404)
            else:
                body = bodies.get(self.path, TEXT.encode())
                self.send_response(200)
                self.send_header("Content-Length", str(len(body) + 100 * (kind == "part")))
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs=dict(poll_interval=0.05))
    thread.start()
    yield SimpleNamespace(address=f"http://127.0.0.1:{server.server_port}", asked=asked,
                          bodies=bodies, folder=tmp_path / "kept" / "here")
    done.set()
    server.shutdown()
    thread.join()
    server.server_close()


def kept(web):
    """What lies in the folder: no file in parts, no folder."""
    return [path.read_bytes() for path in web.folder.glob("*")]


@pytest.mark.parametrize("path", ["/whole/pairs.txt", "/whole/pairs?of=fr#top", "/moved/pairs.txt"])
def test_address_is_asked_once(web, path):
    for checksum in (None, sum_of(TEXT.encode()), sum_of(TEXT.encode()).upper()):
        assert read_pairs(web.address + path, sha256=checksum, folder=str(web.folder)) == PAIRS
    assert web.asked[0] == path.split("#")[0]
    assert len(web.asked) == 1 + path.startswith("/moved")
    assert kept(web) == [TEXT.encode()]


def test_kept_file_is_packed_as_the_address_says(web):
    web.bodies["/whole/pairs.tsv.bz2?a=b.c"] = bz2.compress(TEXT.encode())
    address = web.address + "/whole/pairs.tsv.bz2?a=b.c"
    assert read_pairs(address, folder=web.folder, limit=2) == PAIRS[:2]
    assert read_pairs(address, folder=web.folder) == PAIRS


def test_two_addresses_that_end_alike_are_two_files(web):
    web.bodies["/whole/other/pairs.txt"] = b"a\tb\n"
    for _ in range(2):
        assert read_pairs(web.address + "/whole/pairs.txt", folder=web.folder) == PAIRS
        assert read_pairs(web.address + "/whole/other/pairs.txt", folder=web.folder) == [("a", "b")]
    assert len(web.asked) == 2


def test_folder_is_that_of_torch_unless_another_is_named(web, monkeypatch, tmp_path):
    monkeypatch.setattr(torch.hub, "get_dir", lambda: str(tmp_path / "hub"))
    assert read_pairs(web.address + "/whole/pairs.txt") == PAIRS
    path, = (tmp_path / "hub" / "attention-course").iterdir()
    assert path.name.endswith("-pairs.txt")


def test_download_with_another_checksum_is_not_kept(web):
    other = sum_of(b"other")
    with pytest.raises(ValueError) as error:
        read_pairs(web.address + "/whole/pairs.txt", sha256=other, folder=web.folder)
    assert str(error.value) == (f"sha256 of {web.address}/whole/pairs.txt is "
                                f"{sum_of(TEXT.encode())}; wanted {other}")
    assert kept(web) == []


def test_kept_file_with_another_checksum_or_without_pairs_says_how_to_get_rid_of_it(web):
    address, checksum = web.address + "/whole/pairs.txt", sum_of(TEXT.encode())
    assert read_pairs(address, sha256=checksum, folder=web.folder) == PAIRS
    path, = web.folder.iterdir()
    path.write_text("a\n")
    name = re.escape(f"{path} (from {address}; delete it to download it again)")
    with pytest.raises(ValueError, match=f"^sha256 of {name} is {sum_of(path.read_bytes())}; "
                                         f"wanted {checksum}$"):
        read_pairs(address, sha256=checksum, folder=web.folder)
    with pytest.raises(ValueError, match=f"^{name}, line 1: 1 columns"):
        read_pairs(address, folder=web.folder)
    path.unlink()
    assert read_pairs(address, sha256=checksum, folder=web.folder) == PAIRS


@pytest.mark.parametrize("path, reason", [
    ("/nothing/pairs.txt", "404"),
    ("/part/pairs.txt", "IncompleteRead"),
    ("/slow/pairs.txt", "timed out"),
    ("/whole/é.txt", "ascii"),
])
def test_answers_that_are_no_whole_file(web, monkeypatch, path, reason):
    if reason == "timed out":
        monkeypatch.setattr(pairs, "TIMEOUT", 0.2)
    with pytest.raises(ConnectionError, match=(
            f"^where is '{web.address + path}', and no file came from there: .*{reason}.*; "
            "the path of a file on this machine works too$")):
        read_pairs(web.address + path, folder=web.folder)
    assert kept(web) == []


def test_offline(web):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # and does not listen
        address = f"http://127.0.0.1:{free.getsockname()[1]}/pairs.txt"
        with pytest.raises(ConnectionError, match=f"^where is '{address}'.*refused.* works too$"):
            read_pairs(address, folder=web.folder)
    assert kept(web) == []
    assert read_pairs(SAMPLE)


def test_what_is_kept_works_offline_and_is_never_a_part(web, monkeypatch):
    address = web.address + "/whole/pairs.txt"

    def full(*_):
        raise OSError("no space left")
    with monkeypatch.context() as disk:
        disk.setattr(pairs.os, "replace", full)
        with pytest.raises(OSError, match="no space left"):
            read_pairs(address, folder=web.folder)
    assert kept(web) == []
    assert read_pairs(address, folder=web.folder) == PAIRS
    monkeypatch.setattr(pairs, "urlopen", full)
    assert read_pairs(address, folder=web.folder) == PAIRS


# ---------------------------------------------------------------- the sample
def test_sample_is_half_in_the_words_of_the_corpus():
    training = corpus(training=2000, held_out=0, compositional=0, minimal=0).training
    english = {word for pair in training for word in pair.source}
    french = {word for pair in training for word in pair.target}
    sample = read_pairs(SAMPLE)
    known = [{*re.findall(r"[\w']+|[^\w\s]", a.lower())} <= english
             and {*re.findall(r"[\w-]+'?|[^\w\s]", b.lower())} <= french for a, b in sample]
    assert known == [True] * 12 + [False] * 12
    for side in zip(*sample):
        assert len({*side}) == 24
        assert all(re.fullmatch(r"[A-ZÀÉÊ].*[.?!]", sentence) for sentence in side)


def test_sample_is_in_the_package():
    package = tomllib.loads((pages.ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    assert SAMPLE.match(package["package-data"]["utils.data"][0])
