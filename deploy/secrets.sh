#!/bin/sh
# Makes what compose.yaml names under `secrets`, each where it isn't there yet, in the folder `secrets` beside this file or in
# the one that is given, and begins the file `.env` of compose's variables. Keep secret_key elsewhere too: without it nobody opens
# what is sealed in a backup.
set -eu
folder=${1:-$(dirname "$0")/secrets}
mkdir -p "$folder"
# The containers' users are others than yours: the folder keeps the files from everybody else here.
chmod 0700 "$folder"
umask 0022

random() { od -An -tx1 -N24 /dev/urandom | tr -d ' \n'; }
once() { [ -s "$folder/$1" ] || printf '%s\n' "$2" > "$folder/$1"; }

once postgres_password "$(random)"
once database_url "postgres://platform:$(cat "$folder/postgres_password")@postgres/platform"
once redis.conf "requirepass $(random)"
once bus_url "redis://:$(sed -n 's/^requirepass //p' "$folder/redis.conf")@redis"
once secret_key "$(head -c 32 /dev/urandom | base64)"
once admin_password "$(random)"
if [ $# -eq 0 ]; then
  settings=$(dirname "$0")/.env
  # Otherwise all that compose makes would be called after this folder, as that of many others.
  if ! grep -qs '^COMPOSE_PROJECT_NAME=' "$settings"; then
    # The last line of a file may have no end.
    [ ! -s "$settings" ] || [ -z "$(tail -c 1 "$settings")" ] || echo >> "$settings"
    echo COMPOSE_PROJECT_NAME=platform >> "$settings"
  fi
fi
echo "The administrator 'admin' has the password in $folder/admin_password"
