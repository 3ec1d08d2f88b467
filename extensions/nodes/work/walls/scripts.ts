/** Interface that connects a container to its network. */
export const device = 'eth0';

/** Hardware address that nobody has. */
export const nobody = '02:00:00:00:00:00';

/**
 * Sets up the walls: `$1` is the gateway, `$2` an unused address of the network, the rest are ranges to refuse. Routes
 * alone are not enough: for a socket bound to the interface, the kernel treats unrouted addresses as neighbours and
 * asks for their hardware address, which the host answers for each of its own. So the default route gets a next hop
 * that is no address of the host, with the gateway's hardware address; the gateway's own address gets a hardware
 * address that nobody has; and `seal` stops the kernel from asking for others.
 */
export const raise = `
gateway=$1 hop=$2
shift 2
known() {
  while read -r address kind flags hardware mask at; do
    [ "$address" = "$1" ] && [ "$hardware" != 00:00:00:00:00:00 ] && [ "$hardware" != ${nobody} ] && echo "$hardware"
  done </proc/net/arp
}
neighbour() {
  ip neigh replace "$1" lladdr "$2" dev ${device} nud permanent 2>/dev/null || arp -i ${device} -s "$1" "$2"
}
hardware=$(known "$hop")
for try in 1 2 3; do
  [ -n "$hardware" ] && break
  nc -w 1 "$gateway" 9 </dev/null >/dev/null 2>&1 || wget -q -T 1 -O /dev/null "http://$gateway:9/" >/dev/null 2>&1 || ping -c 1 -W 1 "$gateway" >/dev/null 2>&1
  hardware=$(known "$gateway")
  # Another may have set them meanwhile: then the gateway's own address leads nowhere.
  [ -n "$hardware" ] || hardware=$(known "$hop")
done
[ -n "$hardware" ] || { echo 'the gateway does not answer' >&2; exit 3; }
neighbour "$hop" "$hardware" && neighbour "$gateway" ${nobody} || exit 4
ip -4 route replace default via "$hop" dev ${device} || exit 5
for range; do ip -4 route replace prohibit "$range" || exit 6; done
`;

/** Kernel settings that seal the walls. The engine applies them, because no program of an image could. */
export const seal: Readonly<Record<string, string>> = {
  [`net.ipv4.neigh.${device}.mcast_solicit`]: '0',
  [`net.ipv4.neigh.${device}.ucast_solicit`]: '0',
  [`net.ipv4.neigh.${device}.app_solicit`]: '0',
};

/** Kernel setting that disables IPv6, which has neither walls nor a use here. Separate, because an engine's host may lack IPv6. */
export const seal_ipv6: Readonly<Record<string, string>> = { 'net.ipv6.conf.all.disable_ipv6': '1' };

/** Prints the current state. */
export const look = `
read -r solicit </proc/sys/net/ipv4/neigh/${device}/mcast_solicit; echo "solicit $solicit"
while read -r line; do echo "route $line"; done </proc/net/route
while read -r line; do echo "neighbour $line"; done </proc/net/arp
if [ -r /proc/net/if_inet6 ]; then while read -r line; do echo "six $line"; done </proc/net/if_inet6; fi
`;
