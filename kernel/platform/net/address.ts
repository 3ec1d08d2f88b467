import ipaddr from 'ipaddr.js';
import { metadata_addresses } from '../../contract/network.js';

const METADATA = new Set(metadata_addresses);

/** The well-known prefix of NAT64 (RFC 6052): the last 32 bits are an IPv4 address. */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96') as [ipaddr.IPv6, number];
/** All that is given out as global unicast today (RFC 4291, IANA). */
const GLOBAL = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/** One spelling for each address: IPv4 within IPv6 is IPv4, no zone. */
export function normalAddress(address: string): string {
  return parse(address).toString();
}

/** Why an address is nobody's on the public internet (`loopback`, `private`, …); undefined where it is public. */
export function refusalOf(address: string): string | undefined {
  const parsed = parse(address);
  if (METADATA.has(parsed.toString())) return 'metadata';
  const range = parsed.range();
  if (range !== 'unicast') return range;
  return parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL) ? 'reserved' : undefined;
}

/** Whether an address lies in a range, `10.0.0.0/8`. */
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
