"""Takes the pictures of the explorer, of a lesson and of a session.

Run ``python docs/pictures/shoot.py`` at the repository's root; a word picks one. It
needs the extra ``web``, playwright, and a Chromium on the system.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
HAND = "#observer=S&hand=AKQ2.KJ3.A54.Q32"
SLAM = "#observer=S&hand=KQ85.A4.AQJ63.87&players=4&first=N&show=contracts&call=N:1NT&call=E:Pass"
LEAD = "#observer=W&hand=AJ6532.K742.Q.96&players=4&show=play" + "".join(
    f"&call={call}"
    for call in ("S:1NT", "W:Pass", "N:3NT", "E:Pass", "S:Pass", "W:Pass")
)
CALLS = "&players=4&first=W&call=W:1H&call=N:Pass&call=E:2H&call=S:X"
AUCTION = "&players=4&first=S&call=S:1NT&call=W:Pass&call=N:3NT&call=E:Pass&call=S:Pass&call=W:Pass"
PLAY = "&play=W:H5&reveal=N:J54.AQ2.KQ76.A54&play=N:H2&play=E:HT&play=S:HJ&play=S:SA&play=W:S6&play=N:S4&play=E:S8"
WIDE = {"viewport": {"width": 1280, "height": 800}}
PHONE = {"viewport": {"width": 400, "height": 800}, "device_scale_factor": 2}
SHOTS = {
    "explorer-first": ("", WIDE),
    "explorer-auction": (HAND + CALLS, WIDE),
    "explorer-play": (HAND + AUCTION + PLAY, WIDE),
    "explorer-lead": (LEAD, WIDE),
    "explorer-lead-dark": (LEAD, WIDE | {"color_scheme": "dark"}),
    "explorer-phone": ("", PHONE),
    "explorer-dark": (SLAM, WIDE | {"color_scheme": "dark"}),
}
"""Position and screen of each picture."""
WEAK, ONE = (
    "hcp(north) >= 6 && hcp(north) <= 10",
    "hcp(north) >= 11 && hcp(north) <= 15",
)
LESSON = [
    "--type",
    f"weak two: {WEAK} && hearts(north) == 6",
    "--type",
    f"one heart: {ONE} && hearts(north) == 6",
]


def lesson(browser):
    """The pupils' and the teacher's page of a lesson as they are printed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "lesson.html")
        command = [
            sys.executable,
            "-m",
            "bayesbridge",
            "deal",
            "-n",
            "6",
            "--dealer",
            "N",
            "--show",
            "NS",
            *LESSON,
            "--out",
            path,
        ]
        subprocess.run(command, check=True)
        frames = "".join(
            f'<iframe src="{name}" width="720" height="1500"></iframe>'
            for name in ("lesson.html", "lesson-teacher.html")
        )
        both = Path(folder, "both.html")
        style = "<style>iframe { border: none; }</style>"
        both.write_text(f"<!DOCTYPE html>{style}{frames}", "utf-8")
        page = browser.new_page(viewport={"width": 1480, "height": 1500})
        page.emulate_media(media="print")
        page.goto(both.as_uri())
        page.screenshot(path=HERE / "lesson.png", full_page=True)


def session(browser):
    """Three boards of an evening, as a page on paper."""
    with tempfile.TemporaryDirectory() as folder:
        record, path = Path(folder, "evening.pbn"), Path(folder, "session.html")
        boards = (
            (HERE.parents[1] / "examples" / "boards.pbn")
            .read_text("utf-8")
            .split("[Event")[2:5]
        )
        text = "".join(f"[Event{board}" for board in boards)
        for seat, name in {
            "West": "Anna",
            "North": "Bob",
            "East": "Carla",
            "South": "Dan",
        }.items():
            text = text.replace(f'[{seat} ""]', f'[{seat} "{name}"]')
        alert = ' =1= Pass\nPass Pass\n[Note "1:6-9, no four-card major"]\n'
        record.write_text(
            text.replace("1NT Pass\nPass Pass\n", f"1NT{alert}", 1), "utf-8"
        )
        words = (
            "play",
            "--record",
            record,
            "--review",
            "--draws",
            "200",
            "--solve",
            "8",
            "--out",
            path,
        )
        subprocess.run([sys.executable, "-m", "bayesbridge", *words], check=True)
        page = browser.new_page(viewport={"width": 794, "height": 1123})  # A4
        page.goto(path.as_uri())
        page.screenshot(path=HERE / "session.png")


def main():
    """All pictures, or those named on the command line."""
    command = [
        sys.executable,
        "-m",
        "bayesbridge",
        "serve",
        "--no-browser",
        "--port",
        "0",
        "--workers",
        "1",
    ]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().split()[-1]
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            for name in [name for name in sys.argv[1:] or SHOTS if name in SHOTS]:
                position, screen = SHOTS[name]
                page = browser.new_page(**screen)
                page.set_default_timeout(600_000)
                page.goto(address + position)
                page.wait_for_function(
                    "() => explorer.shown && !document.documentElement.dataset.busy"
                )
                # Leads are ranked on more and more layouts, until they are clear.
                page.wait_for_function("() => document.querySelector('#busy.away')")
                page.wait_for_timeout(300)
                page.screenshot(path=HERE / f"{name}.png")
                page.close()
            for draw in (lesson, session):
                if sys.argv[1:] in ([], [draw.__name__]):
                    draw(browser)
            browser.close()
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
