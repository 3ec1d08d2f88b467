/** Environment variable that marks every process of a call, wherever it is in its container. */
export const marker = 'PLATFORM_CALL';

/** Limit of processes of one member, so that none can exhaust the container's limit. */
const max_processes = 256;

/**
 * Precedes each command in the container's own shell. `$1`: `fenced` if the walls must stand; `$2`: a folder that is
 * created if its parent exists; `$3`: the working folder; `$4`: the seconds after which everything ends even if nobody
 * is left to kill it; `$5`: whether `timeout` can do that: `yes`, `no`, or `ask`; the command follows. The first line
 * is its process id, which is also that of its session and group, and `yes` or `no`; or the reason why the command was
 * not started. This needs no extra request to the engine, and works whoever started the container.
 */
export const enter = `
wall=$1 home=$2 folder=$3 seconds=$4 backstop=$5
shift 5
if [ "$wall" = fenced ]; then
  read -r solicit </proc/sys/net/ipv4/neigh/eth0/mcast_solicit
  [ "$solicit" = 0 ] || { echo unfenced; exit 0; }
fi 2>/dev/null
if [ -n "$home" ] && ! [ -d "$home" ]; then
  mkdir -- "$home" 2>/dev/null || [ -d "$home" ] || { echo homeless; exit 0; }
fi
cd -- "$folder" 2>/dev/null || { echo astray; exit 0; }
if [ -n "$home" ]; then ulimit -u ${max_processes} || ulimit -p ${max_processes}; fi 2>/dev/null
if [ "$backstop" = ask ]; then
  backstop=no
  timeout -s KILL 9 true && backstop=yes
fi 2>/dev/null
echo "$$ $backstop"
if [ "$backstop" = yes ]; then exec timeout -s KILL "$seconds" "$@"; else exec "$@"; fi
`;

/** Output of {@link kill} when nothing is left. */
export const killed = 'all killed';

/**
 * Kills a call: `$1` is its leader's process id, empty if unknown, `$2` its mark. Covers its group and session, all
 * descendants, and every process that carries its mark. Repeats until nothing more is found, and then prints it. Starts
 * with what needs no further process, because there may be no room for one.
 */
export const kill = `
leader=$1 mark=$2 set=" $1 "
look() {
  grown=0
  for file in /proc/[0-9]*/stat; do
    pid=\${file#/proc/}; pid=\${pid%/stat}
    case $set in *" $pid "*) continue ;; esac
    read -r line <"$file" || continue
    # After the name, which may have anything in it: state, parent, group, session.
    set -- \${line##*) }
    [ "$1" = Z ] && continue
    case $set in *" $2 "*) ;; *) [ -n "$leader" ] && [ "$4" = "$leader" ] || continue ;; esac
    set="$set$pid "; grown=1
  done 2>/dev/null
}
for round in 1 2 3 4 5 6 7 8 9 10; do
  before=$set
  look
  while [ "$grown" = 1 ]; do look; done
  [ -n "$leader" ] && kill -KILL -- "-$leader" 2>/dev/null
  for pid in $set; do kill -KILL "$pid" 2>/dev/null; done
  for file in $(grep -ls "${marker}=$mark" /proc/[0-9]*/environ 2>/dev/null); do
    pid=\${file#/proc/}; pid=\${pid%/environ}
    case $set in *" $pid "*) ;; *) set="$set$pid "; kill -KILL "$pid" 2>/dev/null ;; esac
  done
  [ "$set" = "$before" ] && { echo '${killed}'; exit 0; }
done
exit 1
`;
