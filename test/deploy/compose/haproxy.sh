#!/bin/sh
# As the image `haproxy` begins: in the foreground, under a master.
set -eu
shift
exec haproxy -W -db "$@"
