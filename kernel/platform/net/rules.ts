import { isIP } from 'node:net';
import { inRange, normalAddress } from './address.js';

/** Where a connection goes: the name in the URL, and an address that it has. */
export interface Target {
  readonly name: string;
  readonly port: number;
  readonly address: string;
}

interface Rule {
  readonly port: number | undefined;
  matches(target: Target): boolean;
}

/** What may be reached although it is private. */
export class Rules {
  readonly #rules: readonly Rule[];

  constructor(entries: readonly string[]) {
    this.#rules = entries.map(readRule);
  }

  allow(target: Target): boolean {
    return this.#rules.some((rule) => rule.matches(target) && (rule.port ?? target.port) === target.port);
  }

  /** Whether a rule names the target with its port: so precise a permission also opens the platform itself. */
  allowExactly(target: Target): boolean {
    return this.#rules.some((rule) => rule.port === target.port && rule.matches(target));
  }
}

/** Reads `host`, `host:port`, `address`, `[address]:port`, or `address/bits`. */
function readRule(entry: string): Rule {
  const { host, port } = splitPort(entry.trim().toLowerCase());
  if (host.includes('/')) return { port, matches: ({ address }) => inRange(address, host) };
  if (isIP(host) === 0) return { port, matches: ({ name }) => name === host };
  const wanted = normalAddress(host);
  return { port, matches: ({ address }) => normalAddress(address) === wanted };
}

/** Splits `host:port`, an IPv6 address in brackets where it has a port. */
export function splitPort(text: string): { host: string; port: number | undefined } {
  const parts = /^\[(.+)\](?::(\d+))?$/.exec(text) ?? /^([^:]+)(?::(\d+))?$/.exec(text);
  if (!parts?.[1]) return { host: text, port: undefined };
  return { host: parts[1], port: parts[2] === undefined ? undefined : Number(parts[2]) };
}
