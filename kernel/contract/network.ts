/**
 * Public addresses of cloud metadata services, which give a machine its credentials: Azure's wire server. Those of other clouds are private or
 * link-local, so they are refused anyway.
 */
export const metadata_addresses: readonly string[] = ['168.63.129.16'];

const groups_of_a_network = 4;
const group = /^[0-9a-f]{1,4}$/i;

/**
 * Returns the key by which unauthenticated clients are counted: an IPv4 address as it is; for an IPv6 address its network of 64 bits, as
 * `2001:db8:0:7::/64`, because a client usually has all addresses of such a network (RFC 6177). Returns any other text unchanged.
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

/** Splits a part of an IPv6 address into groups. An embedded IPv4 address counts as two. */
function groupsOf(part: string): string[] {
  return part === '' ? [] : part.split(':').flatMap((each) => (each.includes('.') ? ['0', '0'] : [each]));
}
