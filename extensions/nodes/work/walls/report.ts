import { toDotted, toNumber } from './ranges.js';
import { device, nobody } from './scripts.js';

/** Expected state of the walls. */
export interface WallPlan {
  gateway: string;
  /** The next hop, an unused address. */
  hop: string;
  /** Refused ranges, in the form `10.0.0.0/8`. */
  refused: readonly string[];
}

/** Flag in `/proc/net/route` of a route that refuses. */
const refuses = 0x200;

/** Returns which wall doesn't hold, as a sentence; undefined if all do. */
export function missingOf(report: string, { gateway, hop, refused }: WallPlan): string | undefined {
  const lines = report.split('\n').map((line) => line.trim().split(/\s+/));
  const of = (kind: string) => lines.filter(([first]) => first === kind).map(([, ...rest]) => rest);
  if (of('solicit')[0]?.[0] !== '0') return 'the kernel still searches for other hosts';
  const routes = of('route').filter(([, network]) => /^[0-9A-F]{8}$/i.test(network ?? ''));
  const found = new Set(routes.filter(([, , , flags]) => (Number.parseInt(flags ?? '', 16) & refuses) !== 0).map(networkOf));
  const open = refused.find((range) => !found.has(range));
  if (open !== undefined) return `${open} is not refused`;
  const ways = routes.filter((route) => networkOf(route) === '0.0.0.0/0');
  if (ways.length !== 1 || dotted(ways[0]?.[2]) !== hop) return 'the default route leads elsewhere';
  const neighbours = of('neighbour').filter(([, , , , , at]) => at === device);
  const real = neighbours.filter(([address, , , hardware]) => address !== hop && hardware !== nobody && !/^[0:]+$/.test(hardware ?? ''));
  if (real.length > 0) return `${real[0]?.[0]} is known as a neighbour`;
  if (!neighbours.some(([address, , , hardware]) => address === gateway && hardware === nobody)) return 'the gateway is not walled off';
  if (of('six').some(([, , , , , at]) => at !== 'lo')) return 'IPv6 is not walled off';
  return undefined;
}

/** Converts an address from the file's form: hexadecimal, last part first. */
function dotted(hex = ''): string {
  return (hex.match(/../g) ?? [])
    .map((part) => Number.parseInt(part, 16))
    .reverse()
    .join('.');
}

function networkOf([, network, , , , , , mask]: string[]): string {
  const bits = toNumber(dotted(mask)).toString(2).replace(/0+$/, '').length;
  return `${toDotted(toNumber(dotted(network)))}/${dotted(mask) === '0.0.0.0' ? 0 : bits}`;
}
