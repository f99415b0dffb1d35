"""A server and pages for the tests of the explorer."""

import pytest

from tests.web.pages import HAND, PATIENCE, Server, settled


@pytest.fixture(scope="session")
def server(web):
    running = Server()
    yield running
    running.stop()


@pytest.fixture
def tab(browser, server):
    """Opens pages of the explorer.

    ``tab()`` is at a hand of three players, ``tab("")`` at the first visit.
    """
    contexts = []

    def opened(position=f"#{HAND}", at=None, **options):
        options = {
            "viewport": {"width": 1280, "height": 1000},
            "reduced_motion": "reduce",
        } | options
        context = browser.new_context(**options)
        contexts.append(context)
        context.set_default_timeout(1000 * PATIENCE)
        page = context.new_page()
        page.problems = []
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.on(
            "console",
            lambda line: (
                page.problems.append(line.text) if line.type == "error" else None
            ),
        )
        page.goto((at or server).address + position)
        settled(page)
        return page

    yield opened
    problems = []
    for context in contexts:
        for page in context.pages:
            problems += getattr(page, "problems", [])
    for context in contexts:
        context.close()
    assert problems == []
