#!/bin/sh
# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0
#
# The steps of gpu-matrix.yml. `make matrix` takes the same steps with the wheel that it has just built, and without a
# GPU.
#
#   matrix.sh install    the released wheel of rowkernels $VERSION into $VENV, a new environment that sees the packages
#                        of $PYTHON, PyTorch among them; an environment that is there is used as it is
#   matrix.sh run        the matrix, in $JOBS processes
set -eu
: "${VENV:=venv}" "${PYTHON:=python3}" "${JOBS:=0}"

case "${1-}" in
install)
    test -x "$VENV/bin/python" || "$PYTHON" -m venv --system-site-packages "$VENV"
    "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check \
        "rowkernels[run]==${VERSION:?the released version of rowkernels}" pytest pytest-xdist
    ;;
run)
    # Only the tests are taken from this folder: the library is the installed one, here as at its users.
    exec "$VENV/bin/python" -I -m pytest -p no:cacheprovider -n "$JOBS" "$(dirname "$0")/../tests"
    ;;
*)
    echo "usage: $0 install|run" >&2
    exit 2
    ;;
esac
