#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Records the expected outputs on a machine with a GPU and nvcc:
#   OUT=folder tests/programs/record_on_gpu.sh [NAME...]
# leaves $OUT/programs.tar (every NAME.out) and $OUT/programs.log (per program: whether its output differs from the one
# kept here, its exit status, its stderr). JOBS programs are built at a time (16 unless given).
set -euo pipefail
: "${OUT:?OUT must name a folder}"
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$OUT"
recorded=$(mktemp -d)
trap 'rm -rf "$recorded"' EXIT

capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d '. ')
if [ $# -gt 0 ]; then printf '%s\n' "$@"; else python3 "$here/corpus.py" list; fi |
  xargs -P "${JOBS:-16}" -I NAME sh -c 'python3 "$0/corpus.py" record NAME --machine "sm_$1" --out "$2" >"$2/NAME.log"' \
    "$here" "$capability" "$recorded"

cat "$recorded"/*.log >"$OUT/programs.log"
tar -C "$recorded" -cf "$OUT/programs.tar" --exclude='*.log' .
grep -Ev '^  |: same|: left out' "$OUT/programs.log" || true
echo "$(grep -c ': same' "$OUT/programs.log" || true) of $(ls "$recorded"/*.log | wc -l) as expected, $(grep -c ': left out' "$OUT/programs.log" || true) left out"
