/**
 * Addresses at which clouds tell a machine about itself, credentials included, and which lie in a public range: Azure's wire server.
 * Those of the others are private or link-local.
 */
export const metadata_addresses: readonly string[] = ['168.63.129.16'];

const groups_of_a_network = 4;
const group = /^[0-9a-f]{1,4}$/i;

/**
 * By what a client is counted whom only the address tells from others: an IPv4 address itself; of an IPv6 address the network of 64
 * bits, as `2001:db8:0:7::/64`, since whoever has one of its addresses has them all (RFC 6177). Anything else stays as it is.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [front = '', back] = (address.split('%', 1)[0] as string).split('::');
  const [before, after] = [groupsOf(front), groupsOf(back ?? '')];
  const zeros = back === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const all = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  if (all.length !== 8 || !all.every((each) => group.test(each))) return address;
  const network = all.slice(0, groups_of_a_network).map((each) => Number.parseInt(each, 16).toString(16));
  return `${network.join(':')}::/64`;
}

/** An IPv4 address at the end stands for two. */
function groupsOf(part: string): string[] {
  return part === '' ? [] : part.split(':').flatMap((each) => (each.includes('.') ? ['0', '0'] : [each]));
}
