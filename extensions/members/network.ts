import { BlockList, isIP } from 'node:net';
import { networkOf } from '../../kernel/contract/index.js';

/** Location of a client for counting failed logins. */
export interface ClientNetwork {
  /** IPv4 address; IPv6 network of 64 bits, because all its addresses belong to one client; or a private address. */
  address: string;
  /** Network of a public address: 24 bits of IPv4, 64 of IPv6. A private address is its own network. */
  network: string;
}

export function clientNetworkOf(address: string): ClientNetwork {
  if (isPrivate(address)) return { address, network: address };
  if (isIP(address) === 4) return { address, network: `${address.slice(0, address.lastIndexOf('.'))}.0/24` };
  const network = networkOf(address);
  return { address: network, network };
}

/** Returns whether an address belongs to this machine or a private network, so that it may be a proxy. */
export function isPrivate(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && ranges.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

const ranges = new BlockList();
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
] as const)
  ranges.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  ranges.addSubnet(network, bits, 'ipv6');
