"""The layers of the lock by name; nothing here needs the system that offers them."""

LAYERS = ("rlimits", "no_new_privs", "landlock", "seccomp", "user", "namespaces")
REQUIRED = ("rlimits", "no_new_privs", "landlock", "seccomp")
