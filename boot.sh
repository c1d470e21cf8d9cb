#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes 'configure' and 'Makefile.in' in a git checkout.
set -e
cd "$(dirname "$0")"
autoreconf --install --force
