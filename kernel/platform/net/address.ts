import ipaddr from 'ipaddr.js';
import { metadata_addresses } from '../../contract/network.js';

const METADATA = new Set(metadata_addresses);

/** The well-known prefix of NAT64 (RFC 6052): the last 32 bits are an IPv4 address. */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96') as [ipaddr.IPv6, number];
/** The allocated global unicast range (RFC 4291, IANA). */
const GLOBAL = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/** Returns the canonical form of an address: IPv4-mapped IPv6 becomes IPv4, without a zone. */
export function normalAddress(address: string): string {
  return parse(address).toString();
}

/** Returns why an address is not public (`loopback`, `private`, …); undefined if it is public. */
export function refusalOf(address: string): string | undefined {
  const parsed = parse(address);
  if (METADATA.has(parsed.toString())) return 'metadata';
  const range = parsed.range();
  if (range !== 'unicast') return range;
  return parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL) ? 'reserved' : undefined;
}

/** Returns whether an address is in a range such as `10.0.0.0/8`. */
export function inRange(address: string, range: string): boolean {
  const parsed = parse(address);
  const [base, bits] = ipaddr.parseCIDR(range);
  return parsed.kind() === base.kind() && (parsed as ipaddr.IPv4).match([base as ipaddr.IPv4, bits]);
}

function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 {
  const parsed = ipaddr.process(address.replace(/%.*$/, ''));
  if (!(parsed instanceof ipaddr.IPv6) || !parsed.match(NAT64)) return parsed;
  return new ipaddr.IPv4(parsed.toByteArray().slice(12));
}
