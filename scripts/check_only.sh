#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_only.sh COMPILER ARGS... -o OBJECT ...
# Runs the compiler for its errors and warnings only; OBJECT is an empty file. For units that are not linked.
set -eu
object= before=
for argument; do
  if [ "$before" = -o ]; then object=$argument; fi
  before=$argument
done
"$@" -fsyntax-only
: >"$object"
