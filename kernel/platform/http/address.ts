import { BlockList, isIP, SocketAddress } from 'node:net';

/**
 * Determines a client's address and scheme; trusts the part of `X-Forwarded-For` that trusted proxies wrote. We don't use proxy-addr because
 * it takes each address as written, and some gateways write ports, brackets or IPv4-mapped IPv6 addresses.
 */
export class ClientAddress {
  readonly #trusted: BlockList | undefined;

  /** @param trusted_proxies addresses and CIDR ranges. */
  constructor(trusted_proxies: readonly string[]) {
    this.#trusted = trusted_proxies.length > 0 ? blockList(trusted_proxies) : undefined;
  }

  of(peer: string | undefined, forwarded: string | string[] | undefined): string {
    let address = withoutMapping(peer ?? '');
    if (!this.#trusted || forwarded === undefined) return address;
    const hops = String(forwarded).split(',').map(plain);
    // Each proxy appends its peer's address: entries of trusted proxies are true, up to the first untrusted address.
    while (this.#isTrusted(address)) {
      const hop = hops.pop();
      if (hop === undefined || isIP(hop) === 0) return address;
      address = hop;
    }
    return address;
  }

  /** Returns the scheme that the client used: the last one in `X-Forwarded-Proto` if the peer is a trusted proxy, otherwise http. */
  scheme(peer: string | undefined, forwarded: string | string[] | undefined): 'http' | 'https' {
    if (!this.#trusted || forwarded === undefined || !this.#isTrusted(withoutMapping(peer ?? ''))) return 'http';
    return String(forwarded).split(',').at(-1)?.trim().toLowerCase() === 'https' ? 'https' : 'http';
  }

  #isTrusted(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#trusted!.check(address, family === 6 ? 'ipv6' : 'ipv4');
  }
}

/** Returns whether an address is a loopback address. */
export function isLoopback(address: string | undefined): boolean {
  const found = plain(address ?? '');
  return found === '::1' || (isIP(found) === 4 && found.startsWith('127.'));
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** Removes brackets, port, zone and the IPv4-mapped form of an address. */
function plain(address: string): string {
  const trimmed = address.trim();
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed;
  return withoutMapping(bare.split('%', 1)[0] as string);
}

/** Converts an IPv4-mapped IPv6 address to IPv4: dual-stack sockets report it so, and headers may use any of its spellings. */
function withoutMapping(address: string): string {
  if (/^::ffff:\d+\.[\d.]+$/i.test(address)) return address.slice(7);
  if (!/:ffff:[\da-f.]+(?::[\da-f]+)?$/i.test(address) || isIP(address) !== 6) return address;
  const spelled = new SocketAddress({ address, family: 'ipv6' }).address;
  return spelled.startsWith('::ffff:') && spelled.includes('.') ? spelled.slice(7) : address;
}
