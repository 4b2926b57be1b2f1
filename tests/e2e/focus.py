"""Whether keyboard focus can be seen: pictures of a control before and after Tab has reached it."""

from playwright.sync_api import FloatRect, Page

THEMES = ("light", "dark")
# What WCAG 2.2 asks of a focus indicator (2.4.13): as large as a line of 2 px around the control, and of contrast 3:1.
THICKNESS, CONTRAST = 2, 3
MARGIN = 8

# One control of each kind: told by its element, its classes and those of what holds it. Looks, not places, make a kind.
KINDS = """known => {
    const named = (one) => {
        const classes = [...one.classList].filter((name) => !/^(m[bty]?-|is-|depth-)/.test(name)).sort();
        return [one.localName, ...classes].join(".") + ["type", "role", "aria-current"].map(
            (name) => one.hasAttribute(name) ? `[${name}=${one.getAttribute(name)}]` : "").join("");
    };
    const seen = new Set(known);
    const found = [];
    for (const one of document.querySelectorAll("main details")) one.open = true;
    for (const one of document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")) {
        const kind = `${named(one.parentElement)} > ${named(one)}`;
        if (seen.has(kind) || one.tabIndex < 0 || one.disabled || one.type === "hidden") continue;
        if (!one.checkVisibility({ visibilityProperty: true })) continue;
        // Tab goes to the chosen one of a group of radio buttons.
        if (one.matches("[type=radio]:not(:checked)") && one.form?.elements[one.name].value) continue;
        seen.add(kind);
        one.dataset.kind = kind;
        found.push(kind);
    }
    return found;
}"""

# Where the focused control stands in the window, with the room that a ring needs, and how long its sides there are.
PLACE = """([kind, margin]) => {
    const one = document.activeElement;
    if (one.dataset.kind !== kind) return null;
    const { left, top, right, bottom } = one.getBoundingClientRect();
    const within = (low, high, size) => [Math.max(0, low), Math.min(size, high)];
    const [x, x2] = within(left - margin, right + margin, innerWidth);
    const [y, y2] = within(top - margin, bottom + margin, innerHeight);
    const [wide, high] = [within(left, right, innerWidth), within(top, bottom, innerHeight)].map(([a, b]) => b - a);
    const sides = wide * ((top >= margin) + (bottom <= innerHeight - margin))
        + high * ((left >= margin) + (right <= innerWidth - margin));
    // A link over two lines has a ring around each part.
    const parts = [...one.getClientRects()].reduce((sum, part) => sum + 2 * (part.width + part.height), 0);
    return { clip: { x: x + scrollX, y: y + scrollY, width: x2 - x, height: y2 - y }, sides: Math.min(sides, parts) };
}"""

# The control in the middle of the window and with the focus, once the page stands still: every chart that has come near
# the window is drawn, and the control has not moved for a frame. A chart that is drawn between two pictures would move
# what they show.
REACH = """(kind) => new Promise((resolve) => {
    const control = document.querySelector(`[data-kind=${JSON.stringify(kind)}]`);
    control.scrollIntoView({ block: "center" });
    control.focus();
    if (!document.querySelector(".chart")) return resolve();
    let before = "";
    const frame = () => {
        const { left, top, width, height } = control.getBoundingClientRect();
        const now = [left, top, width, height, document.documentElement.scrollHeight].join();
        const drawing = document.querySelector(".chart:is(:not([data-lazy]), [data-begun]):not([data-drawn])");
        if (now === before && !drawing) return resolve();
        before = now;
        requestAnimationFrame(frame);
    };
    // What is observed to come into the window is told of after a frame.
    requestAnimationFrame(() => requestAnimationFrame(frame));
})"""

# How many pixels differ by the contrast that is asked for (WCAG's relative luminance).
CHANGED = """async ([before, after, contrast]) => {
    const pixels = async (text) => {
        const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
        const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
        const canvas = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
        canvas.drawImage(picture, 0, 0);
        return canvas.getImageData(0, 0, picture.width, picture.height).data;
    };
    const linear = (part) => part <= 10.31475 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4;
    const light = (data, at) => 0.05
        + 0.2126 * linear(data[at]) + 0.7152 * linear(data[at + 1]) + 0.0722 * linear(data[at + 2]);
    const [plain, focused] = [await pixels(before), await pixels(after)];
    let changed = 0;
    for (let at = 0; at < plain.length; at += 4) {
        const pair = [light(plain, at), light(focused, at)];
        if (Math.max(...pair) / Math.min(...pair) >= contrast) changed += 1;
    }
    return changed;
}"""


class Focus:
    """Looks at one control of every kind that its pages have, each kind once in each theme."""

    def __init__(self, page: Page, seen: set[str]) -> None:
        self._page = page
        self._devtools = page.context.new_cdp_session(page)
        self._scales = page.context.new_page()
        self._seen = seen
        self.faults: list[str] = []

    def look(self, name: str) -> None:
        """Look at the kinds of this page that were on none before; `name` stands before each fault."""
        kinds: list[str] = self._page.evaluate(KINDS, list(self._seen))
        # A change of theme draws the whole page and its charts anew, so that all controls are looked at in one of them.
        for theme in THEMES if kinds else ():
            self._page.evaluate("theme => { document.documentElement.dataset.bsTheme = theme }", theme)
            self.faults += [f"{name}, {theme}: {kind}: {fault}" for kind in kinds if (fault := self._fault(kind))]
        self._seen.update(kinds)

    def _fault(self, kind: str) -> str:
        self._page.evaluate(REACH, kind)
        self._page.keyboard.press("Shift+Tab")
        self._page.keyboard.press("Tab")
        place = self._page.evaluate(PLACE, [kind, MARGIN])
        if place is None:
            return "Tab does not come back to it"
        if not place["sides"]:
            return "it is outside of the window"
        focused = self._picture(place["clip"])
        self._page.evaluate("document.activeElement.blur()")
        plain = self._picture(place["clip"])
        wanted = THICKNESS * place["sides"]
        changed: int = self._scales.evaluate(CHANGED, [plain, focused, CONTRAST])
        return f"{changed} px change by {CONTRAST}:1, {wanted:.0f} are wanted" if changed < wanted else ""

    def _picture(self, clip: FloatRect) -> str:
        """What is shown there. Playwright's own pictures change styles and wait before and after: twice the work."""
        wanted = {"clip": {**clip, "scale": 1}, "optimizeForSpeed": True}
        return str(self._devtools.send("Page.captureScreenshot", wanted)["data"])
