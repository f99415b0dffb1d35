"""A server in a thread of the test process, and what tests do with a page of it."""

import json
import re
import threading
from http.client import HTTPConnection

HAND = "observer=S&hand=AKQ2.KJ3.A54.Q32"
TOKEN = "a-token-for-the-tests"
PATIENCE = 600  # seconds after which something is taken to hang


class Server:
    """The explorer at an address of its own."""

    def __init__(self, port=0, workers=1):
        from bayesbridge.web.server import explorer, listen

        up = threading.Event()
        listener = listen(port)
        self.port = listener.getsockname()[1]
        self.host = f"127.0.0.1:{self.port}"
        self.address = f"http://{self.host}/{TOKEN}/"
        self.server = explorer(TOKEN, workers, up.set)
        self.thread = threading.Thread(target=self.server.run, args=([listener],))
        self.thread.start()
        assert up.wait(PATIENCE)

    def stop(self):
        self.server.should_exit = True
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()

    def request(self, method, path, body=None, **headers):
        """Status, headers and text of one request.

        The status is None where the server hangs up while we send.
        """
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        default_headers = (
            {"Origin": f"http://{self.host}", "Content-Type": "application/json"}
            if method == "POST"
            else {}
        )
        payload = json.dumps(body) if isinstance(body, dict | list) else body
        try:
            connection.request(
                method,
                path,
                payload,
                {
                    **default_headers,
                    **{k.replace("_", "-"): v for k, v in headers.items()},
                },
            )
            response = connection.getresponse()
            return (
                response.status,
                dict(response.getheaders()),
                response.read().decode("utf-8", "replace"),
            )
        except ConnectionError:
            return None, {}, ""
        finally:
            connection.close()

    def ask(self, question, tab="test"):
        """The events of an answer, as (name, document)."""
        status, _, text = self.request(
            "POST", f"/{TOKEN}/ask", {"tab": tab, "question": question}
        )
        assert status == 200, text
        frames = [frame.split("\n") for frame in text.split("\n\n") if frame]
        return [
            (name.removeprefix("event: "), json.loads(payload.removeprefix("data: ")))
            for name, payload in frames
        ]


def settled(page):
    """Wait until the last question is answered to its end."""
    page.wait_for_function(
        "() => !document.documentElement.dataset.busy && explorer.idle()", polling=50
    )


def click(page, selector):
    """Click, and wait for the answer."""
    page.click(selector)
    settled(page)


def choose(page, selector, value):
    """Choose an option of a list, and wait for the answer."""
    page.select_option(selector, value)
    settled(page)


def share(page, card, seat):
    """What the heat map says of a card, as text."""
    return page.locator(f'#heat [data-place="{card}-{seat}"]').text_content()


def panel(page, name):
    """Open a panel by its tab."""
    page.click(f'#tabs [data-tab="{name}"]')


def chips(page):
    """The sentences of the chips, suits by their letters and tens as T."""
    sentences = page.locator("#chips li > span").evaluate_all(
        "all => all.map(one => one.firstChild.textContent)"
    )
    return [plain(sentence) for sentence in sentences]


def plain(sentence):
    """A sentence with its cards as they are typed: ``W plays ♠10`` is ``W plays ST``."""
    typed = re.sub(r"([♠♥♦♣])10", r"\1T", sentence)
    return typed.translate(str.maketrans("♠♥♦♣", "SHDC"))


def enter(page, text):
    """Type or paste into the one field, and wait for the answer."""
    page.fill("#entry", text)
    page.press("#entry", "Enter")
    page.wait_for_function("() => document.getElementById('entry').value === ''")
    settled(page)


def call(page, *calls):
    """Click calls of the bidding box."""
    for name in calls:
        click(page, f'#box [data-call="{name}"]')
