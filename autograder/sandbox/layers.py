"""The layers of the lock by name; nothing here needs the system that offers them."""

LAYERS = ("rlimits", "no_new_privs", "landlock", "seccomp", "user", "namespaces")
REQUIRED = ("rlimits", "no_new_privs", "landlock", "seccomp")
# What each later version of Landlock can refuse that the one before cannot, and the calls that seccomp
# refuses whatever the version: so version 1 is enough for official marks. `tests/sandbox` runs the attacks
# with the ruleset limited to version 1; `CONTRIBUTING.md` has the command for all others.
LATER_LANDLOCK = {
    2: ("renaming and linking from one folder into another", "rename and link"),
    3: ("emptying files", "truncate, and open for anything but reading"),
    4: ("TCP", "socket"),
    5: ("requests to devices", "ioctl but for five requests that change nothing outside the worker"),
    6: ("signals to other processes and abstract sockets", "kill, fcntl with an owner, and socket"),
}


def closed_by_seccomp(version: int) -> list[str]:
    """Return, for each later version of Landlock, a sentence on what closes here what it would have closed."""
    return [
        f"Version {later} refuses {what}; here seccomp does ({calls})."
        for later, (what, calls) in LATER_LANDLOCK.items()
        if later > version
    ]
