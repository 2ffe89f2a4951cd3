#!/usr/bin/env bash
# Runs once, as root, when Gradescope builds the image. An argument names another root folder, to try it out.
#
# The course needs Python 3.11 to 3.14. Gradescope's newest image, Ubuntu 22.04, has 3.10: uv takes an interpreter
# that fits where there is one, and else brings its own, which it keeps in source/.python.
# In the assignment's Autograder settings: Ubuntu 22.04, at least {{ memory }} of memory, a time limit of {{ minutes }} minutes.
set -Eeuo pipefail
cd "${1:-/autograder}/source"
# run_autograder tells it to whoever hands something in.
failed() { echo "Line $1 of setup.sh failed with status $2." | tee not_set_up.txt >&2; }
trap 'failed $LINENO $?' ERR
apt-get update
apt-get install -y python3-venv libseccomp2
python3 -m venv .uv
.uv/bin/python -m pip install '{{ uv }}'
# Where every user may read: root's own folder is closed to the user that runs submissions.
export UV_PYTHON_INSTALL_DIR="$PWD/.python"
.uv/bin/uv venv --python '>=3.11,<3.15' .venv
wanted=(--override overrides.txt --constraint requirements.lock --requirement requirements.txt)
# No machine there has a GPU: without the libraries for one the image is 3 GB smaller.
.uv/bin/uv pip install --python .venv --torch-backend cpu "${wanted[@]}" || {
    echo "PyTorch for machines without a GPU could not be installed, see above: the usual PyTorch is, 3 GB larger."
    .uv/bin/uv pip install --python .venv "${wanted[@]}"
}
.venv/bin/python -m autograder doctor ||
    echo "Where this machine grades, no official mark can be given: make the package with --practice."
rm -f not_set_up.txt
