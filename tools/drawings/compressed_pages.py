"""Pages: two requests with tables of their own, whose first page is the same."""

from tools.drawings.kit import Drawing

TABLES = (("request 1", (4, 1)), ("request 2", (4, 2, 6)))
PAGES, SIZE, HIGH, TOP = 7, 30, 40, 36
FILLED = {4: 4, 1: 2, 2: 4, 6: 1}
LEFT, RIGHT = 150, 540


def draw() -> Drawing:
    """Draw on the left two tables, on the right the pages of the memory."""
    svg = Drawing(
        "Two requests keep lists of pages; both lists begin with the same page",
        "On the left the tables of two requests: 4, 1 and 4, 2, 6. Lines lead from each entry to a page of the memory on "
        "the right, where each page has room for four tokens. Both tables begin with page 4, which is stored once.",
        height=TOP + PAGES * HIGH + 30,
    )
    svg.text(RIGHT + 2 * SIZE, 16, "memory, in pages", kind="strong")
    for page in range(PAGES):
        y, filled = TOP + page * HIGH, FILLED.get(page, 0)
        svg.text(RIGHT - 18, y + 15, str(page), "mute", kind="small")
        if filled:
            svg.cells(RIGHT, y, [[""] * filled], "key", SIZE, HIGH - 8)
        if filled < 4:
            svg.cells(RIGHT + filled * SIZE, y, [[""] * (4 - filled)], "mute", SIZE, HIGH - 8, kind="empty")
    for (name, table), top in zip(TABLES, (66, 176), strict=True):
        svg.text(LEFT - 14, top + 20, name, anchor="end", kind="strong")
        for i, page in enumerate(table):
            y = top + i * 36
            svg.cells(LEFT, y, [[str(page)]], "ink", 50, 34)
            svg.bend(
                (LEFT + 50, y + 17), (RIGHT - 32, TOP + page * HIGH + 15), "key" if page == 4 else "mute"
            )
    svg.text(RIGHT + 2 * SIZE, TOP + PAGES * HIGH + 12, "a page: four tokens", "mute", kind="small")
    return svg
