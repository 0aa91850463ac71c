#!/bin/sh
# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs Debian's chromium for the tests of the report page, where there is none and where we may (as root, with apt).
# Elsewhere those tests are skipped, and counted as that.
set -eu
if command -v chromium >/dev/null || command -v chromium-browser >/dev/null; then exit 0; fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "no chromium, and no way to install it here: the page's tests will be skipped" >&2
  exit 0
fi
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends chromium >/dev/null
