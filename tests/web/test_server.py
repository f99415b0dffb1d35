"""The server: what it answers and refuses; hostile requests leave it as it was."""

import json
import re
import socket
import threading
import time
from pathlib import Path

import pytest

from bayesbridge.web import worker
from tests.web.pages import PATIENCE, TOKEN

POSITION = {
    "settings": {"observer": "S", "hand": "AKQ2.KJ3.A54.Q32"},
    "evidence": [["void", "E:H"]],
}
CALLS = ["W:1C", "N:1D", "E:1H", "S:1S", "W:2C", "N:2D", "E:2H", "S:2S"]
SLOW = {
    "settings": POSITION["settings"] | {"players": "4"},
    "evidence": [["call", call] for call in CALLS],
}
PAGE = [
    ("", "text/html"),
    ("explorer.js", "text/javascript"),
    ("explorer.css", "text/css"),
]


def test_an_answer_comes_as_a_stream_of_events(server):
    events = server.ask(POSITION)
    assert [name for name, _ in events] == [
        "board",
        "cards",
        "chip",
        "captures",
        "points",
        "contracts",
        "end",
    ]
    assert events[-1][1] == {"why": "done"}


@pytest.mark.parametrize(("path", "kind"), PAGE)
def test_the_page_and_its_headers(server, path, kind):
    status, headers, text = server.request("GET", f"/{TOKEN}/{path}")
    assert status == 200
    assert headers["content-type"].startswith(kind)
    assert text
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers


def test_the_page_is_small_and_fetches_nothing_from_elsewhere():
    folder = Path(worker.__file__).parent / "page"
    # The 4 kB of views/style.css come on top.
    assert sum(file.stat().st_size for file in folder.iterdir()) < 104_000
    for file in folder.iterdir():
        assert "://" not in file.read_text("utf-8")


ASK = f"/{TOKEN}/ask"
GOOD = json.dumps({"tab": "h", "question": POSITION})


@pytest.mark.parametrize(
    ("status", "method", "path", "body", "headers"),
    [
        pytest.param(404, "GET", "/", None, {}, id="no token"),
        pytest.param(404, "GET", f"/{TOKEN[:-1]}x/", None, {}, id="wrong token"),
        pytest.param(
            404,
            "GET",
            f"/{TOKEN}/../{TOKEN}/%2e%2e/%2e%2e/etc/passwd",
            None,
            {},
            id="path",
        ),
        pytest.param(404, "POST", f"/{TOKEN}/once/shell", GOOD, {}, id="unknown kind"),
        pytest.param(405, "PUT", ASK, GOOD, {}, id="method"),
        pytest.param(
            403, "POST", ASK, GOOD, {"Origin": "http://evil.example"}, id="wrong origin"
        ),
        pytest.param(
            403, "POST", ASK, GOOD, {"Sec_Fetch_Site": "cross-site"}, id="cross-site"
        ),
        pytest.param(
            421, "GET", f"/{TOKEN}/", None, {"Host": "evil.example"}, id="wrong host"
        ),
        pytest.param(
            415, "POST", ASK, GOOD, {"Content_Type": "text/plain"}, id="a simple form"
        ),
        pytest.param(413, "POST", ASK, "x" * 10_000_000, {}, id="10 MB"),
        pytest.param(
            413,
            "POST",
            ASK,
            GOOD,
            {"Content_Length": "9" * 12},
            id="a length that lies",
        ),
        pytest.param(400, "POST", ASK, "[" * 60_000, {}, id="deep JSON"),
        pytest.param(400, "POST", ASK, "[1, 2]", {}, id="no object"),
        pytest.param(400, "POST", ASK, '{"tab": "a b"}', {}, id="bad tab"),
        pytest.param(
            400,
            "POST",
            f"/{TOKEN}/once/entry",
            '{"tab": "a", "question": {}, "name": 1}',
            {},
            id="no name",
        ),
    ],
)
def test_hostile_requests_are_refused_in_one_line(
    server, capfd, status, method, path, body, headers
):
    answered_status, _, text = server.request(method, path, body, **headers)
    assert answered_status == status or (
        answered_status is None and len(body) > 2_000_000
    )
    assert text.count("\n") <= 1
    assert "Traceback" not in text
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("tab", "ends"), [("crowd-{}", "end"), ("one", "end|replaced")]
)
def test_many_requests_at_once_are_served_or_refused(server, capfd, tab, ends):
    results = []
    many = 40

    def one(number):
        results.append(
            server.request(
                "POST", ASK, {"tab": tab.format(number), "question": POSITION}
            )
        )

    threads = [threading.Thread(target=one, args=(number,)) for number in range(many)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert len(results) == many
    statuses = {status for status, _, _ in results}
    assert statuses <= {200, 503}
    assert 200 in statuses
    assert all(
        re.search(f"event: ({ends})\n", text)
        for status, _, text in results
        if status == 200
    )
    assert any("event: end\n" in text for _, _, text in results)
    assert capfd.readouterr().err == ""
    assert server.ask(POSITION)[-1][0] == "end"


MALFORMED = [
    ({"question": [1]}, "question: send an object, not [1]"),
    ({"question": {"settings": [1]}}, "settings: send an object, not [1]"),
    ({"question": {"settings": {"hand": 3}}}, "hand: send a text, not 3"),
    ({"question": {"settings": {"system": [None]}}}, "system: send a text"),
    ({"question": {"settings": {"players": True}}}, "players: send a text, not True"),
    ({"question": {"evidence": 5}}, "evidence: send a list, not 5"),
    ({"question": {"evidence": ["x"]}}, "evidence, item 1: send a pair of texts"),
    ({"question": {"evidence": [[[], "E"]]}}, "evidence, item 1: send a pair of"),
    ({"question": {"evidence": [["void", 1]]}}, "evidence, item 1: send a pair of"),
    ({"question": POSITION | {"number": "x"}}, "number: send a whole number, not 'x'"),
    ({"question": POSITION | {"first": 1}}, "first: send a text, not 1"),
    ({"question": POSITION | {"contract": {}}}, "contract: send a text, not {}"),
    ({"question": POSITION | {"seed": 1.5}}, "seed: send a whole number, not 1.5"),
    ({"tab": 7, "question": POSITION}, "tab: send a text, not 7"),
    ([1, 2], "tab: send a text"),
]


@pytest.mark.parametrize(("body", "words"), MALFORMED)
def test_a_malformed_body_is_told_its_field_and_what_that_takes(server, body, words):
    named = {"tab": "m", **body} if isinstance(body, dict) else body
    _, _, answer = server.request("POST", ASK, named)
    assert words in answer.replace('\\"', '"')


def test_a_board_is_a_whole_number(server):
    body = {
        "tab": "m",
        "question": POSITION,
        "name": "a.pbn",
        "text": "",
        "board": True,
    }
    status, _, answer = server.request("POST", f"/{TOKEN}/review", body)
    assert (status, answer) == (400, "board: send a whole number, not True\n")


def begun(server, text):
    """A connection on which so much was sent, and nothing after it."""
    connection = socket.create_connection(("127.0.0.1", server.port), PATIENCE)
    connection.sendall(text.format(host=server.host).encode())
    return connection


HALF_HEADER = "GET / HTTP/1.1\r\nHost: {host}\r\n"
HALF_BODY = (
    f"POST {ASK} HTTP/1.1\r\nHost: {{host}}\r\nOrigin: http://{{host}}\r\n"
    'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{{"tab"'
)


@pytest.mark.parametrize("text", ["", HALF_HEADER])
def test_many_half_open_connections_keep_nobody_out(server, text):
    connections = [begun(server, text) for _ in range(300)]
    try:
        assert server.request("GET", f"/{TOKEN}/")[0] == 200
        assert server.ask(POSITION)[-1][0] == "end"
    finally:
        for connection in connections:
            connection.close()


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        pytest.param("", b"", id="nothing"),
        pytest.param(HALF_HEADER, b"", id="half a header"),
        pytest.param(HALF_BODY, b"HTTP/1.1 408 ", id="half a body"),
    ],
)
def test_a_request_must_be_there_in_time(server, monkeypatch, text, answer):
    monkeypatch.setattr("bayesbridge.web.connections.REQUEST_SECONDS", 0.1)
    monkeypatch.setattr("bayesbridge.web.server.REQUEST_SECONDS", 0.1)
    with begun(server, text) as connection:
        assert connection.recv(13) == answer


def test_a_connection_may_ask_again_after_its_header_was_in_time(server, monkeypatch):
    monkeypatch.setattr("bayesbridge.web.connections.REQUEST_SECONDS", 0.1)
    request = f"GET /{TOKEN}/explorer.css HTTP/1.1\r\nHost: {{host}}\r\n\r\n"
    with begun(server, request) as connection:
        file = connection.makefile("rb")
        for _ in range(2):
            assert file.readline() == b"HTTP/1.1 200 OK\r\n"
            headers = dict(line.split(b": ") for line in iter(file.readline, b"\r\n"))
            file.read(int(headers[b"content-length"]))
            time.sleep(0.3)
            connection.sendall(request.format(host=server.host).encode())


def test_a_newer_question_of_a_tab_takes_the_place_of_the_older(server):
    older = []
    thread = threading.Thread(target=lambda: older.extend(server.ask(SLOW, "same")))
    thread.start()
    while not server.server.server_state.connections:
        time.sleep(0.01)
    time.sleep(0.5)  # its request is read, and its answer takes longer
    newer = server.ask(POSITION, "same")
    thread.join(PATIENCE)
    assert newer[-1] == ("end", {"why": "done"})
    assert older[-1][0] in ("replaced", "end")


def test_what_should_not_happen_is_told_in_one_line(server, capfd, monkeypatch):
    monkeypatch.setattr("bayesbridge.web.fields.required", lambda *_: 1 / 0)
    status, _, text = server.request("POST", ASK, GOOD)
    assert (status, text) == (
        500,
        "the server could not answer: its terminal says why\n",
    )
    err = ""
    while "\n" not in err:  # told after the response
        err += capfd.readouterr().err
        time.sleep(0.01)
    assert err == "bayesbridge: a request failed: ZeroDivisionError: division by zero\n"
