#!/bin/sh
# Creates a golden store with the code of a commit: tests/golden/make.sh COMMIT NAME
# Writes tests/golden/NAME.tar.gz with the database, its payloads and a description of its records. A NAME
# that begins with postgres_ is created on its own PostgreSQL server and stored as a dump.
set -eu
commit=$1
name=$2
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/pawl-golden-XXXXXX")
trap 'rm -rf "$work"' EXIT
code=$work/code
mkdir "$code" "$work/$name"
git -C "$root" archive "$commit" | tar -x -C "$code"
case $name in
  postgres_*) library=pawl_postgres client=-lpq ;;
  *) library=pawl_sqlite client= ;;
esac
export CCACHE_BASEDIR="$code" CCACHE_NOHASHDIR=1
# Optimized for build time.
cmake -S "$code" -B "$code/build" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-O0 \
  -DPAWL_BUILD_TESTS=OFF -DPAWL_BUILD_EXAMPLES=OFF >/dev/null
ninja -C "$code/build" -j"${JOBS:-2}" pawl_sqlite "$library"
libraries=$(find "$code/build" -name 'libpawl_*.a')
# shellcheck disable=SC2086
c++ -std=c++23 -I"$here" -I"$code/include" -I"$code/build/include" \
  ${client:+-DMAKES_POSTGRES} -o "$work/make_golden" \
  "$here/make_golden.cpp" -Wl,--start-group $libraries -Wl,--end-group \
  -lsqlite3 -lcrypto -lboost_json -lpthread $client
case $name in
  postgres_*)
    server=$root/tests/postgres/private_server.py
    url=$(python3 -B "$server" start "$work/server")
    trap 'python3 -B "$server" stop "$work/server"; rm -rf "$work"' EXIT
    "$work/make_golden" "$work/$name" "$url?schema=golden"
    # Commands of psql begin with a backslash; any client can run the rest.
    pg_dump --dbname="$url" --schema=golden --no-owner --rows-per-insert=100 |
      grep -v '^\\' >"$work/$name/store.sql"
    ;;
  *)
    "$work/make_golden" "$work/$name"
    rm -f "$work/$name/store.db-shm"
    ;;
esac
git -C "$root" rev-parse "$commit" >"$work/$name/commit"
tar -C "$work" --sort=name --owner=0 --group=0 --mtime=@0 -cf - "$name" | gzip -9n >"$here/$name.tar.gz"
ls -l "$here/$name.tar.gz"
