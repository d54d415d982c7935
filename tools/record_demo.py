"""Records the moving picture of the README from the running app: ``make demo``.

A student predicts, reads PyTorch's answer at its line, and applies the fix. Each picture is a
screenshot of the page; the pointer is drawn by this script, since a headless browser has none.
"""

import io
import shutil
from pathlib import Path

from PIL import Image
from playwright.sync_api import FloatRect, Locator, Page, expect, sync_playwright

from benchmarks.server import HOST, PLAYGROUND, Server

FILE = Path(__file__).resolve().parent.parent / "docs" / "demo.gif"
PATH = "/tensors?step=same_device_error&gpus=2&x=cuda:0&lang=en"
WINDOW = {"width": 1280, "height": 1100}
ABOVE, HEIGHT = 16, 800  # of the panel: from the step's title to the reason below its program
MARGIN = 16
COLOURS = 128
TO_READ = 2_000  # milliseconds; pictures of a movement are shown for less
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
POINTER = """
([x, y]) => {
  let pointer = document.getElementById("pointer");
  if (!pointer) {
    pointer = document.createElement("div");
    pointer.id = "pointer";
    pointer.innerHTML = `<svg width="22" height="22"><path d="M4 2v15l4-4 3 7 3-1-3-7h6z"
      fill="#fff" stroke="#111" stroke-width="1.5"/></svg>`;
    pointer.style = "position:fixed;z-index:99999;pointer-events:none";
    document.body.append(pointer);
  }
  [pointer.style.left, pointer.style.top] = [`${x}px`, `${y}px`];
}
"""


class Film:
    """Screenshots of a page, and how long each is shown."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._images: list[Image.Image] = []
        self._milliseconds: list[int] = []
        clip = self._clip()
        self._place = (clip["x"] + clip["width"] - 200, clip["y"] + HEIGHT - 60)
        page.evaluate(POINTER, self._place)

    def show(self, milliseconds: int) -> None:
        """Take the page as it is now."""
        taken = self._page.screenshot(clip=self._clip(), animations="disabled")
        self._images.append(Image.open(io.BytesIO(taken)).convert("RGB"))
        self._milliseconds.append(milliseconds)

    def _clip(self) -> FloatRect:
        box = self._page.locator(".pp").bounding_box()
        assert box, "there is no program"
        width = box["width"] + 2 * MARGIN
        return {"x": box["x"] - MARGIN, "y": box["y"] - ABOVE, "width": width, "height": HEIGHT}

    def click(self, target: Locator) -> None:
        """Move the pointer to an element in a few pictures, and click on it."""
        box = target.bounding_box()
        assert box, "it is not on the screen"
        start, self._place = (
            self._place,
            (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2),
        )
        for part in (0.35, 0.7, 0.9, 1.0):
            between = [a + (b - a) * part for a, b in zip(start, self._place, strict=True)]
            self._page.evaluate(POINTER, between)
            self.show(80)
        self._milliseconds[-1] = 500
        target.click()

    def save(self, file: Path) -> None:
        """Write all pictures with one palette, so that only what changes is stored."""
        shown = zip(self._images, self._milliseconds, strict=True)
        still = [image for image, milliseconds in shown if milliseconds >= TO_READ]
        sample = Image.new("RGB", (still[0].width, still[0].height * len(still)))
        for row, image in enumerate(still):
            sample.paste(image, (0, row * image.height))
        palette = sample.quantize(COLOURS)
        first, *others = (
            image.quantize(palette=palette, dither=Image.Dither.NONE) for image in self._images
        )
        first.save(file, save_all=True, append_images=others, duration=self._milliseconds, loop=0)


def record(page: Page) -> Film:
    """Predict, read the answer, and apply the fix."""
    answer = page.locator(".pp-answer")
    expect(page.locator(".pp-choice").first).to_be_visible()
    page.wait_for_timeout(1_000)  # fonts
    film = Film(page)
    film.show(2_500)
    film.click(page.locator(".pp-choice", has_text="RuntimeError"))
    expect(answer).to_contain_text("RuntimeError")
    page.wait_for_timeout(1_000)  # what moves has come to rest
    film.show(4_500)
    film.click(page.get_by_role("button", name="Apply"))
    expect(answer).to_contain_text("it works")
    page.wait_for_timeout(1_000)
    film.show(4_000)
    return film


def main() -> None:
    """Start the app and a browser, and write the picture."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    expect.set_options(timeout=60_000)  # PyTorch may be starting
    with Server(PLAYGROUND) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport=WINDOW, color_scheme="light")
        page.goto(f"http://{HOST}:{server.port}{PATH}")
        record(page).save(FILE)
        browser.close()
    print(f"{FILE.name}: {FILE.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
