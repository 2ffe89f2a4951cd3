"""What `autograder.frameworks.libraries` mends in MXNet 1.9.1."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from autograder.frameworks.libraries import WITHOUT_TORCH, installed_versions, mx
from autograder.model.paths import ROOT
from tests.support import need

ASK = "`attention doctor` says why."


@pytest.fixture(autouse=True)
def _needs_mxnet():
    need("mxnet")


@pytest.mark.parametrize("axes", [(0, 1), (0, 1, 3), (0, 0, 1), (0, 1, 2, 3)])
def test_axes_that_do_not_fit_raise_and_do_not_end_the_process(axes):
    for call in (
        lambda x: x.transpose(axes),
        lambda x: mx.nd.transpose(x, axes=axes),
        lambda x: x.transpose(*axes),
    ):
        with pytest.raises(ValueError, match="do not fit an array of 3 dimensions"):
            call(mx.nd.ones((2, 3, 4)))


def test_axes_that_fit_do_what_numpy_does():
    array = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    x = mx.nd.array(array)
    for axes in ((0, 2, 1), (2, 0, 1)):
        np.testing.assert_array_equal(x.transpose(axes).asnumpy(), array.transpose(axes))
        np.testing.assert_array_equal(mx.nd.transpose(x, axes).asnumpy(), array.transpose(axes))
    np.testing.assert_array_equal(x.transpose().asnumpy(), array.T)
    np.testing.assert_array_equal(x.T.asnumpy(), array.T)


def test_a_gradient_passes_where_with_a_number():
    x = mx.np.array([[1.0, 2.0, 3.0]])
    x.attach_grad()
    with mx.autograd.record():
        y = mx.npx.softmax(mx.np.where(mx.np.array([[1.0, 1.0, 0.0]]), x, -1e6))
    y.backward(mx.np.array([[1.0, 2.0, 5.0]]))
    p = 1 / (1 + np.e)
    np.testing.assert_allclose(x.grad.asnumpy(), [[-p * (1 - p), p * (1 - p), 0]], rtol=1e-5)


def test_the_versions_at_work_are_named():
    assert f"NumPy {np.__version__}" in installed_versions() and "MXNet 1.9.1" in installed_versions()


def test_a_matrix_product_has_the_digits_of_the_chapters_on_any_processor():
    """On a processor that MXNet's OpenBLAS does not know, the third entry was 12.0."""
    if "avx2" not in Path("/proc/cpuinfo").read_text(encoding="utf-8").split():
        pytest.skip("the processor has no AVX2")
    weights = mx.nd.softmax(mx.nd.array([[[0.0] * 6 + [-1e6] * 4]]), axis=-1)
    context = mx.nd.batch_dot(weights, mx.nd.arange(40).reshape((1, 10, 4))).asnumpy()[0, 0]
    assert context.tolist() == [10.0, 11.0, 12.000000953674316, 13.0]
    assert "OPENBLAS_CORETYPE" not in os.environ  # NumPy's own is left alone


@pytest.mark.slow
@pytest.mark.parametrize("tests_run", [False, True])
def test_a_library_that_mxnet_needs_and_the_system_lacks_is_told(tests_run, tmp_path):
    (tmp_path / "mxnet.py").write_text("raise OSError('libquadmath.so.0: cannot open shared object file')")
    (tmp_path / "torch.py").write_text("raise ImportError")
    module = ["pytest", "tests/frameworks"] if tests_run else ["autograder.frameworks.libraries"]
    done = subprocess.run(
        [sys.executable, "-m", *module],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == tests_run and "Traceback" not in done.stderr
    assert "libquadmath.so.0" in done.stderr and "apt install libquadmath0" in done.stderr
    if not tests_run:
        assert done.stdout.endswith(f". {WITHOUT_TORCH} MXNet is installed and cannot be loaded: {ASK}\n")


def test_what_mxnet_does_not_need_is_not_imported_and_can_be_later():
    """Each fork of the grader copies the tables of all memory that imports take."""
    code = (
        "import sys; from autograder.frameworks.libraries import mx; "
        "found = [n for n in ('scipy', 'sklearn', 'h5py', 'sympy', 'torch') if n in sys.modules]; "
        "assert not found, found; import scipy.sparse"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not Path("/proc/self/maps").is_file(), reason="the system does not tell what is loaded")
def test_both_frameworks_have_one_libgomp_where_mxnet_is_imported_first():
    need("torch")
    code = (
        "from autograder.frameworks.libraries import mx, torch; "
        "maps = open('/proc/self/maps').read().split(); "
        "print(mx.nd.ones((2, 2)).sum().asscalar() + torch.ones(2, 2).sum().item(), "
        "len({name for name in maps if '/libgomp' in name}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "8.0 1\n", done.stderr
