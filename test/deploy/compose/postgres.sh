#!/bin/sh
# Does what compose.yaml asks of the image `postgres`, as the image does it: it begins as root, makes the database once, and serves it as its own user.
set -eu
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA" /run/postgresql
  chown -R postgres:postgres "$PGDATA" /run/postgresql
  chmod 0700 "$PGDATA"
  exec /usr/local/bin/setpriv --reuid=postgres --regid=postgres --clear-groups "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  eval 'initdb --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" '"$POSTGRES_INITDB_ARGS"
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  pg_ctl -D "$PGDATA" -o "-c listen_addresses= -k /run/postgresql" -w start
  createdb -h /run/postgresql -U "$POSTGRES_USER" "$POSTGRES_DB"
  pg_ctl -D "$PGDATA" -m fast -w stop
fi
exec "$@" -c listen_addresses='*' -k /run/postgresql
