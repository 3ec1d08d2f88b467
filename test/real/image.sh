#!/bin/bash
# Builds deploy/Dockerfile on a container engine of its own, on a Debian that debootstrap makes, and shows what the image does:
# it becomes healthy, answers, runs its commands, is no one's root, and ends in time. As root, on Debian, with docker.io,
# debootstrap and Node installed; takes some minutes. WORK names a folder to keep the base in for the next time.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=${WORK:-$(mktemp -d)}
mkdir -p "$work"
export DOCKER_HOST=unix://$work/docker.sock
engine=

finish() {
  if [ -n "$engine" ]; then
    docker rm -f platform-image > /dev/null 2>&1 || true
    kill "$engine" && wait "$engine" || true
    umount "$work"/exec/netns/* 2> /dev/null || true
  fi
  if [ -z "${WORK:-}" ]; then rm -rf "$work"; fi
}
trap finish EXIT

# Debian with this machine's Node: the images of a registry may be out of reach.
make_base() {
  local root=$work/root prefix
  [ -e "$work/base.tar" ] && return
  debootstrap --variant=minbase --include=ca-certificates,g++,make,python3,util-linux bookworm "$root" > "$work/debootstrap.log"
  prefix=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
  mkdir -p "$root/usr/local/bin" "$root/usr/local/lib/node_modules" "$root/usr/local/include"
  cp "$prefix/bin/node" "$root/usr/local/bin/"
  cp -r "$prefix/lib/node_modules/npm" "$root/usr/local/lib/node_modules/"
  cp -r "$prefix/include/node" "$root/usr/local/include/"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  # Where a proxy stands between, its authority is among this machine's.
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
  chroot "$root" apt-get clean
  tar -C "$root" -cf "$work/base.tar" .
  rm -rf "$root"
}

start_engine() {
  dockerd --data-root "$work/docker" --exec-root "$work/exec" --pidfile "$work/docker.pid" -H "$DOCKER_HOST" \
    --bridge=none --iptables=false --exec-opt native.cgroupdriver=cgroupfs > "$work/docker.log" 2>&1 &
  engine=$!
  for _ in $(seq 100); do docker info > /dev/null 2>&1 && return; sleep 0.2; done
  tail "$work/docker.log"
  return 1
}

healthy() {
  for _ in $(seq 60); do
    [ "$(docker inspect -f '{{.State.Health.Status}}' platform-image)" = healthy ] && return
    sleep 1
  done
  docker logs platform-image
  return 1
}

make_base
start_engine
docker image inspect platform-base > /dev/null 2>&1 || docker import --change 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt' "$work/base.tar" platform-base > /dev/null
begun=$SECONDS
version=$(node -p 'require("./package.json").version')
DOCKER_BUILDKIT=0 docker build --network host -f deploy/Dockerfile -t platform --build-arg VERSION="$version" \
  --build-arg BUILD_IMAGE=platform-base --build-arg BASE_IMAGE=platform-base . > "$work/build.log" 2>&1 ||
  { tail -40 "$work/build.log"; exit 1; }
echo "built in $((SECONDS - begun)) s; above its base it has $(docker history --format '{{.Size}}' platform | head -12 | tr '\n' ' ')"

label=$(docker inspect -f '{{index .Config.Labels "org.opencontainers.image.version"}}' platform)
[ "$label" = "$version" ] || { echo "its label names version '$label', not $version"; exit 1; }
echo "its label names version $label"

port=$(node -e 'const server = require("net").createServer().listen(0, () => { console.log(server.address().port); server.close(); })')
docker run -d --init --name platform-image --network host --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges \
  -e PLATFORM_HOST=127.0.0.1 -e PLATFORM_PORT="$port" platform > /dev/null
healthy
curl -fsS "http://127.0.0.1:$port/readyz" && echo
docker exec platform-image platform member list
docker exec platform-image id
docker exec platform-image du -sm /app/node_modules /app/dist
docker exec platform-image platform chat send '/help' --follow | sed -n 1,3p
docker exec platform-image platform doctor || true
[ -z "$(docker exec platform-image find /app -user 10001 -print -quit)" ] && echo 'nothing of the program belongs to its user'
begun=$SECONDS
docker stop -t 15 platform-image > /dev/null
echo "ended with $(docker inspect -f '{{.State.ExitCode}}' platform-image) after $((SECONDS - begun)) s"
