import { isIP } from 'node:net';
import { inRange, normalAddress } from './address.js';

/** Target of a connection: the name in the URL, and one of its addresses. */
export interface Target {
  readonly name: string;
  readonly port: number;
  readonly address: string;
}

interface Rule {
  readonly port: number | undefined;
  matches(target: Target): boolean;
}

/** Rules for private targets that are permitted. */
export class Rules {
  readonly #rules: readonly Rule[];

  constructor(entries: readonly string[]) {
    this.#rules = entries.map(readRule);
  }

  allow(target: Target): boolean {
    return this.#rules.some((rule) => rule.matches(target) && (rule.port ?? target.port) === target.port);
  }

  /** Returns whether a rule names the target with its port; such a precise rule also permits the platform itself. */
  allowExactly(target: Target): boolean {
    return this.#rules.some((rule) => rule.port === target.port && rule.matches(target));
  }
}

/** Parses `host`, `host:port`, `address`, `[address]:port`, or `address/bits`. */
function readRule(entry: string): Rule {
  const { host, port } = splitPort(entry.trim().toLowerCase());
  if (host.includes('/')) return { port, matches: ({ address }) => inRange(address, host) };
  if (isIP(host) === 0) return { port, matches: ({ name }) => name === host };
  const normal = normalAddress(host);
  return { port, matches: ({ address }) => normalAddress(address) === normal };
}

/** Splits `host:port`; an IPv6 address with a port is in brackets. */
export function splitPort(text: string): { host: string; port: number | undefined } {
  const parts = /^\[(.+)\](?::(\d+))?$/.exec(text) ?? /^([^:]+)(?::(\d+))?$/.exec(text);
  if (!parts?.[1]) return { host: text, port: undefined };
  return { host: parts[1], port: parts[2] === undefined ? undefined : Number(parts[2]) };
}
