#!/bin/sh
# As the image `redis` begins: as root, which gives its folder and the server to its own user. The shell has a `setpriv` of its own, with less.
set -eu
if [ "$(id -u)" = 0 ]; then
  chown -R redis:redis .
  exec /usr/local/bin/setpriv --reuid=redis --regid=redis --clear-groups "$0" "$@"
fi
exec "$@"
