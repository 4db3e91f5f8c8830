#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_only.sh COMPILER ARGS... -o OBJECT ...
# Runs the compiler for its errors and warnings; OBJECT is left empty. For what is compiled, but not linked.
set -eu
object= before=
for argument; do
  if [ "$before" = -o ]; then object=$argument; fi
  before=$argument
done
"$@" -fsyntax-only
: >"$object"
