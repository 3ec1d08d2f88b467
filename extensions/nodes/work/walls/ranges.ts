import { lookup } from 'node:dns/promises';
import { isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { metadata_addresses } from '../../../../kernel/contract/index.js';

/**
 * Address ranges that are not public: private networks, this network, carriers' own, link-local with the metadata
 * service of clouds, benchmarks, documentation, multicast and reserved (IANA's special-purpose registry); and metadata
 * services at public addresses.
 */
export const private_ranges: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  ...metadata_addresses.map((address) => `${address}/32`),
];

/**
 * Returns the IPv4 addresses of an engine's host as known here; undefined if its name can't be resolved. Containers
 * have no IPv6 connectivity. The host of the local engine (`local`: its address) may be this machine under any name.
 */
export async function hostAddresses(host: string, local: string): Promise<string[] | undefined> {
  if (host !== '') return addressesOf(host);
  const own = Object.values(networkInterfaces()).flatMap((found = []) => found);
  const here = own.flatMap(({ address, internal, family }) => (internal || family !== 'IPv4' ? [] : [address]));
  const there = await addressesOf(local);
  return there && [...new Set([...here, ...there])];
}

/** Resolves a URL's host; empty if it is not a network address. */
async function addressesOf(url: string): Promise<string[] | undefined> {
  const { hostname = '' } = URL.canParse(url) && !url.startsWith('unix:') ? new URL(url) : {};
  if (hostname === '') return [];
  if (isIPv4(hostname)) return [hostname];
  const found = await lookup(hostname, { all: true, family: 4 }).catch(() => undefined);
  return found?.map(({ address }) => address);
}

/** Returns the second-to-last address of a network in dotted form, which is unused on a node's own network. */
export function spareAddress(address: string, prefix: number): string {
  const size = 2 ** (32 - prefix);
  const base = Math.floor(toNumber(address) / size) * size;
  return toDotted(base + size - 2);
}

export function toNumber(address: string): number {
  return address.split('.').reduce((value, part) => value * 256 + Number(part), 0);
}

export function toDotted(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}
