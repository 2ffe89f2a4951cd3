"""The task of associative recall: at each step a guest arrives, and one of the guests so far is asked for."""

from tools.drawings.kit import Drawing

GUESTS = (("Ana", 12), ("Ben", 7), ("Cleo", 3), ("Dan", 9), ("Eva", 5))  # the chapter's
QUESTIONS = (0, 0, 1, 2, 0)
LEFT, STEP, WIDE = 134, 118, 96
NAME, ROOM, ASK, ANSWER = 56, 104, 226, 292


def draw() -> Drawing:
    """Draw five steps; a line leads from each question back to the guest that holds the answer."""
    far = max(range(len(QUESTIONS)), key=lambda step: step - QUESTIONS[step])
    questions = "; ".join(
        f"step {step + 1} asks for {GUESTS[of][0]}, room {GUESTS[of][1]}" for step, of in enumerate(QUESTIONS)
    )
    svg = Drawing(
        "The task: at every step a guest arrives, and the room of one of the guests so far is asked for",
        f"Five columns, the steps. In each a guest with a room, and below a question: {questions}. A line leads from each "
        f"question back to the guest. The farthest, at step {far + 1}, goes {far - QUESTIONS[far]} steps back.",
        height=350,
    )
    for y, words, role in (
        (22, "step", "mute"),
        (NAME + 20, "guest", "key"),
        (ROOM + 20, "room", "value"),
        (ASK + 20, "asked", "query"),
        (ANSWER + 20, "answer", "context"),
    ):
        svg.text(10, y, words, role, "start")
    for step, ((name, room), of) in enumerate(zip(GUESTS, QUESTIONS, strict=True)):
        x = LEFT + step * STEP
        svg.text(x + WIDE / 2, 22, str(step + 1), "mute")
        svg.box(x, NAME, WIDE, 40, "key", name)
        svg.box(x, ROOM, WIDE, 40, "value", str(room))
        svg.box(x, ASK, WIDE, 40, "query", f"{GUESTS[of][0]}?")
        svg.box(x, ANSWER, WIDE, 40, "context", str(GUESTS[of][1]))
        start = LEFT + of * STEP + WIDE / 2, ROOM + 42
        svg.drop(start, (x + WIDE / 2, ASK - 2), "query", 4 if step == far else 2)
    return svg
