#!/usr/bin/env bash
# Runs once, when Gradescope builds the image.
set -euo pipefail
apt-get update
apt-get install -y python3-venv libseccomp2
cd /autograder/source
python3 -m venv .venv
.venv/bin/pip install --requirement requirements.txt
.venv/bin/python -m autograder doctor || true
