"""Attacks on the grader: sources that try for a mark they have not earned, or for what is not theirs.

Each is harmless outside the lock: bounded in time, size and count. `{secret}` stands for the
path of a file that nobody but the judge may read, `{reference}` for the reference's own file.
"""

import re

from tests import support

# Under a name of its own, so that an attack decides what the learner's function is.
RIGHT = support.RIGHT.replace("def masked_softmax", "def right")
# The worker's own names, by its frame: its modules cannot be imported.
WORKER = (
    "import sys\nframe = sys._getframe()\n"
    "while 'LoadedSource' not in frame.f_globals: frame = frame.f_back\nworker = frame.f_globals\n"
)
WRONG = "\ndef masked_softmax(X, valid_length):\n    return X.softmax(-1)\n"


def call(body: str) -> str:
    """A submission whose function runs a body and returns something wrong."""
    lines = "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))
    return f"import torch\ndef masked_softmax(X, valid_length):\n{lines}    return X.softmax(-1)\n"


def tell(expression: str) -> str:
    """A submission that tries to read something and puts it into its error."""
    return call(f"raise ValueError('fou' + 'nd: ' + str({expression}))")


# name: (source, outcomes that are right)
# What a kernel with an early Landlock would let through: seccomp must refuse it by itself.
OLD_KERNELS = {
    "empty a file by an access mode that asks for no right": tell(
        "__import__('os').ftruncate(__import__('os').open({secret!r}, 3 | 0o1000), 0)"
    ),
    "empty a file by O_TRUNC": call(
        "import os; raise ValueError(os.open({secret!r}, os.O_RDONLY | os.O_TRUNC))"
    ),
    "open a file for writing": call("import os; raise ValueError(os.open({secret!r}, os.O_WRONLY))"),
    "make a file": call("import os; raise ValueError(os.open({folder!r} + '/attack.txt', os.O_CREAT))"),
    "make a file without a name": call(
        "import os; raise ValueError(os.open({folder!r}, os.O_TMPFILE | os.O_RDWR))"
    ),
    "have the kernel send a signal": call(
        "import fcntl, os, signal\n"
        "reading, writing = os.pipe()\n"
        "fcntl.fcntl(reading, 10, int(signal.SIGKILL))\n"
        "fcntl.fcntl(reading, fcntl.F_SETOWN, os.getppid())\n"
        "fcntl.fcntl(reading, fcntl.F_SETFL, os.O_ASYNC)\n"
        "os.write(writing, b'x')"
    ),
}

# As the kernel kills for want of memory, or as an administrator stops a process.
KILL_ITSELF = {
    f"{name} to itself, by {way.partition('(')[0]}": call(f"import os, signal, threading; {way.format(name)}")
    for name in ("SIGKILL", "SIGSTOP", "SIGTERM")
    for way in (
        "os.kill(os.getpid(), signal.{})",
        "os.kill(0, signal.{})",
        "signal.raise_signal(signal.{})",
        "signal.pthread_kill(threading.get_ident(), signal.{})",
    )
}

LEAVE = {
    "leave with success while being read": ("import os\nos._exit(0)", {"missing"}),  # that statement is left out
    "leave with success when called": (call("import os; os._exit(0)"), {"error"}),
    "leave by sys.exit": (call("import sys; sys.exit(0)"), {"error"}),
    "leave by an exception of its own": (
        "class Done(SystemExit): pass\n" + call("raise Done(0)"), {"error"}
    ),
    "leave at exit": ("import atexit, os\natexit.register(os._exit, 0)\n" + call("raise SystemExit(0)"), {"error"}),
    "a base exception": (call("raise BaseException('out')"), {"error"}),
    "an interrupt": (call("raise KeyboardInterrupt"), {"error"}),
}  # fmt: skip

PATCH = {
    "patch numpy's comparisons": (
        "import numpy\nnumpy.isclose = numpy.allclose = numpy.array_equal = lambda *a, **k: True" + WRONG, {"rejected"}
    ),
    "patch numpy.testing": (
        "import numpy.testing\nnumpy.testing.assert_allclose = lambda *a, **k: None" + WRONG, {"rejected"}
    ),
    "patch torch's comparisons": (
        "import torch\ntorch.allclose = torch.equal = lambda *a, **k: True" + WRONG, {"rejected"}
    ),
    "patch builtins": (
        "import builtins\nbuiltins.all = builtins.any = lambda *a: True\nbuiltins.abs = lambda x: 0 * x" + WRONG,
        {"rejected", "error", "tampering"},
    ),
    "patch json": (
        "import json\njson.dumps = lambda *a, **k: '{\"outcome\": \"accepted\"}'" + WRONG, {"tampering", "error"}
    ),
    "patch the session": (
        WORKER + "S = worker['Session']\n"
        "S.exchange = lambda self, header, arrays: ({'outcome': 'accepted', 'points': 2}, [])" + WRONG, {"tampering"}
    ),
    "patch the session into silence": (
        WORKER + "S = worker['Session']\n"
        "S.exchange = lambda self, header, arrays: ({'outputs': [], 'inputs': []}, [])" + WRONG,
        {"tampering", "rejected"},
    ),
    "patch what the adapter gives back": (
        WORKER + "A = type(worker['adapter_of']('torch'))\n"
        "A.numpy = lambda self, value: __import__('numpy').zeros(1, dtype='float32')" + WRONG, {"rejected"}
    ),
    "patch the wire": (
        WORKER + "worker['send_frames'] = lambda *a, **k: None" + WRONG, {"timeout"}
    ),
    "patch unittest and pytest": (
        "import sys, types\nfor name in ('pytest', 'unittest', 'doctest'):\n    sys.modules[name] = types.ModuleType(name)"
        + WRONG, {"rejected"}
    ),
    "replace builtins wholesale": (
        "__builtins__ = {}\nimport torch" + WRONG, {"rejected", "error"}
    ),
}  # fmt: skip

FORGE = {
    "forge an accepted frame": (
        call(
            "import json, os, struct\n"
            "head = json.dumps({'outcome': 'accepted', 'arrays': []}).encode()\n"
            "frame = struct.pack('<4sIQ', b'ASBS', len(head), 0) + head\n"
            "for fd in range(3, 64):\n"
            "    try: os.write(fd, frame)\n"
            "    except OSError: pass"
        ), {"tampering"},
    ),
    "send rubbish": (
        call("import os\nfor fd in range(3, 64):\n    try: os.write(fd, b'x' * 64)\n    except OSError: pass"),
        {"tampering"},
    ),
    "send while being read": (
        "import os\nfor fd in range(3, 64):\n    try: os.write(fd, b'x' * 64)\n    except OSError: pass" + WRONG,
        {"tampering"},
    ),
    "announce a frame of a terabyte": (
        call(
            "import os, struct\nfor fd in range(3, 64):\n"
            "    try: os.write(fd, struct.pack('<4sIQ', b'ASBS', 10, 1 << 40))\n    except OSError: pass"
        ), {"tampering"},
    ),
    "announce more than is sent": (
        call(
            "import os, struct, time\nfor fd in range(3, 64):\n"
            "    try: os.write(fd, struct.pack('<4sIQ', b'ASBS', 60000, 1 << 20))\n    except OSError: pass\ntime.sleep(60)"
        ), {"timeout"},
    ),
    "a header nested too deep": (
        call(
            "import os, struct\nhead = b'[' * 60000\nfor fd in range(3, 64):\n"
            "    try: os.write(fd, struct.pack('<4sIQ', b'ASBS', len(head), 0) + head)\n    except OSError: pass"
        ), {"tampering"},
    ),
    "arrays of impossible shape": (
        call(
            "import json, os, struct\n"
            "head = json.dumps({'outputs': [{'array': 0}], 'inputs': [], 'arrays': "
            "[{'dtype': 'float32', 'shape': [-1, 5]}]}).encode()\n"
            "for fd in range(3, 64):\n"
            "    try: os.write(fd, struct.pack('<4sIQ', b'ASBS', len(head), 0) + head)\n    except OSError: pass"
        ), {"tampering"},
    ),
    "replay an earlier reply": (
        WORKER + "S = worker['Session']\nreal, kept = S.exchange, []\n"
        "def replay(self, header, arrays):\n"
        "    if not kept or header['do'] != 'call': \n        kept.append(real(self, header, arrays))\n"
        "    return kept[-1]\nS.exchange = replay\n" + RIGHT + "masked_softmax = right\n", {"rejected", "tampering"}
    ),
    "gradients that overflow when they are compared": (
        WORKER + "import numpy\nS = worker['Session']\nreal = S.exchange\n"
        "def forged(self, request, arrays):\n"
        "    reply, sent = real(self, {**request, 'cotangents': None}, arrays)\n"
        "    if request['cotangents'] is None: return reply, sent\n"
        "    reply['gradients'] = [{'name': 'X', 'array': len(sent)}]\n"
        "    return reply, [*sent, numpy.full(arrays[0].shape, 1.7e308)]\n"
        "S.exchange = forged\n" + RIGHT + "masked_softmax = right\n", {"rejected"}
    ),
    "close the wire": (call("import os\nos.closerange(3, 64)"), {"error"}),
}  # fmt: skip

RETURN = {
    "an object equal to everything": (
        "class Same:\n    def __eq__(self, other): return True\n    __hash__ = None\n"
        "    def __array__(self, *a): raise RuntimeError\n"
        "def masked_softmax(X, valid_length):\n    return Same()\n", {"rejected"}
    ),
    "a subclass that compares well": (
        "import torch\nclass T(torch.Tensor):\n    def __eq__(self, other): return True\n"
        "    def allclose(self, *a, **k): return True\n"
        "def masked_softmax(X, valid_length):\n    return X.softmax(-1).as_subclass(T)\n", {"rejected"}
    ),
    "a subclass that lies about its shape": (
        "import torch\nclass T(torch.Tensor):\n    @property\n    def shape(self): return torch.Size((2, 3, 5))\n"
        "def masked_softmax(X, valid_length):\n    return X[:1].as_subclass(T)\n", {"rejected"}
    ),
    "NaN": (call("return X * float('nan')"), {"rejected"}),
    "infinity": (call("return X * float('inf')"), {"rejected"}),
    "nothing at all": (call("return X[:0]"), {"rejected"}),
    "one number that broadcasts": (call("return torch.tensor(0.2)"), {"rejected"}),
    "a column that broadcasts": (call("return X.softmax(-1)[..., :1]"), {"rejected"}),
    "an expanded tensor of a terabyte": (call("return torch.zeros(1).expand(1 << 38)"), {"rejected", "error"}),
    "a tensor without data": (call("return torch.empty(X.shape, device='meta')"), {"rejected", "error"}),
    "a sparse tensor": (call("return X.softmax(-1).to_sparse()"), {"rejected", "error"}),
    "complex numbers": (call("return X.softmax(-1).to(torch.complex64)"), {"rejected"}),
    "truth values": (call("return X > 0"), {"rejected"}),
    "a list that holds itself": (call("a = []; a.append(a); return a"), {"rejected"}),
    "a list nested very deep": (call("a = []\nfor _ in range(100000): a = [a]\nreturn a"), {"rejected"}),
    "a generator": (call("return (row for row in X)"), {"rejected"}),
    "a million plain numbers": (call("return [0.0] * 1000000"), {"rejected"}),
    "a type with a hostile name": (
        "Evil = type('<script>alert(1)</script>' + chr(27) + '[31m', (), {})\n"
        "def masked_softmax(X, valid_length):\n    return Evil()\n", {"rejected"}
    ),
    "a shape that is an exception": (
        "class Odd:\n    @property\n    def shape(self): raise SystemExit(0)\n"
        "def masked_softmax(X, valid_length):\n    return Odd()\n", {"rejected", "error"}
    ),
}  # fmt: skip

READ = {
    "read the reference's file": tell("open({reference!r}).read()"),
    "read a secret file": tell("open({secret!r}).read()"),
    "read a secret file by its descriptor": tell("__import__('os').open({secret!r}, 0)"),
    "list the folder of submissions": tell("__import__('os').listdir({folder!r})"),
    "read the password file": tell("open('/etc/passwd').read()"),
    "read the environment": tell("dict(__import__('os').environ)"),
    "read the environment from the kernel": tell("open('/proc/self/environ').read()"),
    "read the parent's environment": tell("open(f\"/proc/{{__import__('os').getppid()}}/environ\").read()"),
    "read the parent's memory": tell("open(f\"/proc/{{__import__('os').getppid()}}/mem\", 'rb').read(10)"),
    "import the reference": tell("__import__('solutions.masked_softmax.in_numpy', fromlist=['x']).masked_softmax"),
    "import the reference by its folder": (
        "import sys\nsys.path.insert(0, {root!r})\nfor name in [n for n in sys.modules if n.startswith(('solutions', 'autograder'))]:\n"
        "    del sys.modules[name]\n"
        + tell("__import__('solutions.masked_softmax.in_numpy', fromlist=['x']).masked_softmax")
    ),
    "import the exercises": (
        "import sys\nsys.path.insert(0, {root!r})\nsys.modules.pop('autograder', None)\n"
        + tell("__import__('autograder.model.catalogue', fromlist=['x']).all_exercises()")
    ),
    "find the reference among all objects": tell(
        "[o for o in __import__('gc').get_objects() if getattr(o, '__name__', '') in ('masked_softmax', 'mask_after_softmax')"
        " and 'submission' not in getattr(o, '__module__', '')]"
    ),
    "find the expected values in the callers": tell(
        "[sorted(s.frame.f_locals) for s in __import__('inspect').stack(0)"
        " if 'expected' in s.frame.f_locals or 'reference' in s.frame.f_locals]"
    ),
    "read through a link": tell("(__import__('os').symlink({secret!r}, '/tmp/link-of-an-attack'), open('/tmp/link-of-an-attack').read())"),
    "read the shell's history": tell("open(__import__('os').path.expanduser('~/.bash_history')).read()"),
}  # fmt: skip

RESOURCES = {
    "an endless loop": (call("while True: pass"), {"timeout"}),
    "an endless loop that swallows exceptions": (
        call("while True:\n    try:\n        while True: pass\n    except BaseException: pass"), {"timeout"}
    ),
    "signals ignored, then a loop": (
        call(
            "import signal\nfor n in range(1, 32):\n    try: signal.signal(n, signal.SIG_IGN)\n"
            "    except (OSError, ValueError): pass\nwhile True: pass"
        ), {"timeout"},
    ),
    "a long sleep": (call("import time; time.sleep(60)"), {"timeout"}),
    "all memory": (call("a = []\nfor _ in range(64): a.append(bytearray(1 << 30))"), {"error", "timeout"}),
    "all memory, slowly": (call("a = []\nfor _ in range(10000): a.append(bytearray(b'x') * (1 << 20))"), {"error", "timeout"}),
    "many processes": (
        call("import os\nfor _ in range(50):\n    if os.fork() == 0: os._exit(0)"), {"error"}
    ),
    "a subprocess": (call("import subprocess; subprocess.run(['true'], check=True)"), {"error"}),
    "a shell": (call("import os\nif os.system('true') != 0: raise OSError('no shell')"), {"error"}),
    "another program in its place": (call("import os; os.execv('/bin/true', ['true'])"), {"error"}),
    "many threads": (
        call(
            "import threading, time\n"
            "for _ in range(2000): threading.Thread(target=time.sleep, args=(5,), daemon=True).start()"
        ), {"error"},
    ),
    "threads with small stacks": (
        call(
            "import threading, time\nthreading.stack_size(32 << 10)\nstarted = 0\n"
            "try:\n    for _ in range(5000):\n"
            "        threading.Thread(target=time.sleep, args=(5,), daemon=True).start()\n        started += 1\n"
            "except RuntimeError: pass\n"
            "if started < 2: raise RuntimeError('no second thread')"
        ), {"error"},
    ),
    "many descriptors": (call("a = [open('/dev/null') for _ in range(5000)]"), {"error"}),
    "a file in the common folder": (call("open('/tmp/left-by-an-attack', 'w').write('x')"), {"error"}),
    "a file where it stands": (call("open('left-by-an-attack', 'w').write('x')"), {"error"}),
    "a file in memory": (call("import os; os.memfd_create('x')"), {"error"}),
    "shared memory": (
        call("from multiprocessing import shared_memory; shared_memory.SharedMemory('attack', True, 64)"), {"error"}
    ),
    "a gigabyte of print": (
        call("for _ in range(1024): print('x' * (1 << 20))"), {"rejected", "timeout"}
    ),
    "recursion": (call("f = lambda: f()\nf()"), {"error"}),
    "recursion without a limit": (
        call("import sys; sys.setrecursionlimit(10 ** 9)\nf = lambda: f()\nf()"), {"error", "timeout"}
    ),
    "a number without end": (call("x = 9 ** 9 ** 9"), {"timeout", "error"}),
    "a pattern without end": (call("import re; re.match('(a+)+$', 'a' * 64 + 'b')"), {"timeout"}),
    "a tensor of a terabyte": (call("torch.ones(1 << 38)"), {"error"}),
}  # fmt: skip

NETWORK = {
    "a connection": call("import socket; socket.create_connection(('127.0.0.1', {port}), 1)"),
    "a datagram": call("import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {port}))"),
    "a name": call("import socket; socket.getaddrinfo('localhost.invalid', 80)"),
    "a socket of the system": call("import socket; socket.socket(socket.AF_UNIX).connect('/run/dbus/system_bus_socket')"),
    "a server": call("import socket; socket.create_server(('127.0.0.1', 0))"),
    "a pair of sockets": call("import socket; socket.socketpair()"),
}  # fmt: skip

RIGHTS = {
    "kill its parent": call("import os, signal; os.kill(os.getppid(), signal.SIGKILL)"),
    "kill everybody": call("import os, signal; os.kill(-1, signal.SIGTERM)"),
    "become another user": call("import os; os.setuid(0); os.setgid(0); os.setgroups([])\nraise PermissionError"),
    "raise its limits": call(
        "import resource; resource.setrlimit(resource.RLIMIT_CPU, (-1, -1)); resource.setrlimit(resource.RLIMIT_AS, (-1, -1))"
    ),
    "change rights of a file": call("import os; os.chmod({secret!r}, 0o777)"),
    "delete a file": call("import os; os.remove({secret!r})"),
    "rename a file": call("import os; os.rename({secret!r}, '/tmp/renamed-by-an-attack')"),
    "make a folder": call("import os; os.mkdir('/tmp/made-by-an-attack')"),
    "write into the packages": call("import torch, os; open(os.path.join(os.path.dirname(torch.__file__), 'attack.py'), 'w')"),
    "write into its own memory by the kernel": call("open('/proc/self/mem', 'r+b')"),
    "trace its parent": call(
        "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "if libc.ptrace(16, os.getppid(), 0, 0) != 0: raise OSError(ctypes.get_errno(), 'ptrace')"
    ),
    "read its parent by a system call": call(
        "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "if libc.syscall(310, os.getppid(), 0, 0, 0, 0, 0) != 0: raise OSError(ctypes.get_errno(), 'process_vm_readv')"
    ),
    "leave the lock by a new one": call(
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "if libc.unshare(0x10000000) != 0: raise OSError(ctypes.get_errno(), 'unshare')"
    ),
}  # fmt: skip

MEMORISED = {
    "the same weights every time": call("return torch.full(X.shape, 1.0 / X.shape[-1])"),
    "the answers of the practice cases": "{memorised}",
    "right for one shape only": RIGHT
    + "def masked_softmax(X, valid_length):\n    return right(X, valid_length) if X.shape == (2, 3, 5) else X.softmax(-1)\n",
    "right for the first calls only": RIGHT
    + "calls = []\ndef masked_softmax(X, valid_length):\n    calls.append(1)\n"
    "    return right(X, valid_length) if len(calls) < 4 else X.softmax(-1)\n",
    "right values without a path for gradients": RIGHT
    + "def masked_softmax(X, valid_length):\n    return right(X.detach(), valid_length).requires_grad_()\n",
}

_ATTENTION = """
import torch
class DotProductAttention(torch.nn.Module):
    def __init__(self, dropout=0.0):
        super().__init__()
    def forward(self, queries, keys, values, valid_length=None):
        n = keys.shape[1]
        mask = None
        if valid_length is not None:
            lengths = valid_length[:, None] if valid_length.ndim == 1 else valid_length
            mask = (torch.arange(n) < lengths[..., None]).expand(queries.shape[0], queries.shape[1], n)
        scores = queries @ keys.transpose(1, 2) / queries.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e6)
        self.attention_weights = torch.softmax(scores, -1)
        return {call}
"""
LIBRARY = {
    "the library's attention": "torch.nn.functional.scaled_dot_product_attention(queries, keys, values, mask)",
    "the library's attention by another name": (
        "getattr(torch.nn.functional, 'scaled_dot' + '_product_attention')(queries, keys, values, mask)"
    ),
    "the library's attention from below": "torch._C._nn.scaled_dot_product_attention(queries, keys, values, mask)",
    "the library's attention from the dispatcher": (
        "torch.ops.aten.scaled_dot_product_attention(queries, keys, values, mask)"
    ),
    "the library's attention, compiled": "compiled(queries, keys, values, mask)",
    "the library's attention from its inside": (
        "torch.ops.aten._scaled_dot_product_attention_math(queries, keys, values, mask)[0]"
    ),
    "the library's attention, mapped": (
        "torch.vmap(torch.ops.aten.scaled_dot_product_attention.default)(queries, keys, values)"
    ),
    "the library's attention, and the refusal caught": "attempted(queries, keys, values, mask)",
}
_COMPILED = """
def library(queries, keys, values, mask: torch.Tensor | None):
    return torch.nn.functional.scaled_dot_product_attention(queries, keys, values, mask)

compiled = torch.jit.script(library)

def attempted(queries, keys, values, mask):
    try:
        return library(queries, keys, values, mask)
    except Exception:
        scores = queries @ keys.transpose(1, 2) / queries.shape[-1] ** 0.5
        return torch.softmax(scores if mask is None else scores.masked_fill(~mask, -1e6), -1) @ values
"""
LIBRARY = {name: _ATTENTION.replace("{call}", text) + _COMPILED for name, text in LIBRARY.items()}

_NORM = """
import mxnet as mx
import torch
from mxnet import gluon, nd
from mxnet.ndarray import LayerNorm as kept

class Hybrid(gluon.HybridBlock):
    def hybrid_forward(self, F, X, gain, bias):
        return F.LayerNorm(X, gain, bias)

hybrid = Hybrid()
hybrid.hybridize()

def layer_norm(X, gain, bias):
    return {call}
"""
LIBRARY_MXNET = {
    "the library's norm": "nd.LayerNorm(X, gain, bias)",
    "the library's norm by another name": "kept(X, gain, bias)",
    "the library's norm from its inside": "getattr(mx.nd.op, 'Layer' + 'Norm')(X, gain, bias)",
    "the library's norm, compiled": "hybrid(X, gain, bias)",
    "the library's norm of instances": "nd.InstanceNorm(X, gain, bias)",
    "the library's norm by what its inside calls": (
        "(setattr(mx.nd.register, '_imperative_invoke', mx.nd._internal._imperative_invoke), "
        "nd.LayerNorm(X, gain, bias))[1]"
    ),
    "the other library's norm of groups": (
        "nd.array(torch.nn.functional.group_norm(torch.tensor(X.asnumpy()).flatten(0, 1), 1).numpy())"
        ".reshape(X.shape) * gain + bias"
    ),
}
# While the source runs nothing is asked for yet; what is made there is called later.
MADE_BEFORE = {
    "a layer of MXNet's, compiled": (
        "mxnet",
        """
from mxnet import gluon, nd

class Hybrid(gluon.HybridBlock):
    def hybrid_forward(self, F, X, gain, bias):
        return F.LayerNorm(X, gain, bias)

made = Hybrid()
made.hybridize()
made(nd.ones((2, 4)), nd.ones(4), nd.zeros(4))
""",
    ),
    "a graph of MXNet's as text": (
        "mxnet",
        """
import json
import mxnet as mx
from mxnet import gluon, nd

nodes = [{"op": "null", "name": name, "inputs": []} for name in "xyz"]
nodes.append({"op": "LayerNorm", "name": "norm", "inputs": [[0, 0, 0], [1, 0, 0], [2, 0, 0]]})
graph = mx.sym.load_json(json.dumps({"nodes": nodes, "arg_nodes": [0, 1, 2], "heads": [[3, 0, 0]]}))
made = gluon.SymbolBlock(graph, [mx.sym.var(name) for name in "xyz"])
""",
    ),
    "a trace of PyTorch's": (
        "torch",
        """
import torch

traced = torch.jit.trace(lambda X: torch.nn.functional.layer_norm(X, X.shape[-1:]), torch.ones(2, 4))
made = lambda X, gain, bias: traced(X) * gain + bias
""",
    ),
}
# What comes before the answer is called is refused too, and what catches that has nothing.
COMPUTED_BEFORE = """
import torch
kept = None
try:
    kept = torch.nn.functional.layer_norm(torch.ones(2, 4), (4,))
except Exception:
    pass
def layer_norm(X, gain, bias):
    raise ValueError(f"it has {kept}")
"""
LIBRARY_MXNET["the other library's norm"] = (
    "nd.array(torch.nn.functional.layer_norm(torch.tensor(X.asnumpy()), X.shape[-1:]).numpy()) * gain + bias"
)
LIBRARY_MXNET = {name: _NORM.replace("{call}", text) for name, text in LIBRARY_MXNET.items()}

HOSTILE_WORDS = "</td><script>alert(1)</script>\x1b[31m\u202e=1+1`](javascript:alert(1))"
WORDS = {
    "an error with hostile words": call(f"raise ValueError({HOSTILE_WORDS!r})"),
    "an error whose words raise": (
        "class Quiet(Exception):\n    def __str__(self): raise SystemExit(0)\n" + call("raise Quiet()")
    ),
    "an error with endless words": call("raise ValueError('x' * 10_000_000)"),
    "an error with a hostile type": (
        f"Evil = type({HOSTILE_WORDS!r}, (Exception,), {{}})\n" + call("raise Evil('x')")
    ),
}

# What Landlock handles, and so what an early version may leave open: files by their paths, requests to
# devices, TCP, abstract sockets, and signals. Whatever needs one of them names one of these.
HANDLED_BY_LANDLOCK = re.compile(
    r"\b(open|listdir|symlink|rename|remove|mkdir|chmod|ftruncate|memfd_create|shared_memory|fcntl|ioctl|"
    r"execv|system|subprocess|__import__\('(solutions|autograder)|socket|kill|ptrace|syscall)\b"
)


def concern_landlock() -> dict[str, str]:
    """The sources of the attacks, by name, for which the version of Landlock can make a difference."""
    with_outcomes = {**LEAVE, **PATCH, **FORGE, **RETURN, **RESOURCES}
    every = {name: source for name, (source, _) in with_outcomes.items()}
    every |= {**KILL_ITSELF, **OLD_KERNELS, **READ, **NETWORK, **RIGHTS}
    return {name: source for name, source in every.items() if HANDLED_BY_LANDLOCK.search(source)}
