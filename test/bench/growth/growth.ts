import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { svgOf } from '../plot.js';

/** Cost of a unit of work at a size: µs of processor time, of the platform's process and of the limit's. */
export interface Cost {
  what: string;
  cpu_us: number;
  limit_cpu_us: number;
  /** Further figures. */
  more?: Readonly<Record<string, number>>;
}

/** Something of which there is more and more, once it is set up. */
export interface Grown {
  /** The costs where there is so much of it; asked with rising sizes. */
  at(size: number): Promise<Cost[]>;
  close(): Promise<void>;
}

export interface Growing {
  /** The growing thing: `members`. */
  of: string;
  /** The unit of the costs: `request`. */
  unit: string;
  /** Rising. */
  sizes: readonly number[];
  open: () => Promise<Grown>;
}

type Row = Readonly<Record<string, unknown>>;

/**
 * Lets something grow. Gives a row for each size and kind of work, and one for each kind of work that tells how many times the
 * least cost at a smaller size that at the largest is (`growth`), and how many times the limit's own growth that is
 * (`growth_beside_limit`). Writes a plot of each kind of work into the folder.
 */
export async function grow({ of, unit, sizes, open }: Growing, plots: string): Promise<Row[]> {
  const found: (Cost & { size: number })[] = [];
  const grown = await open();
  try {
    for (const size of sizes) found.push(...(await grown.at(size)).map((cost) => ({ size, ...cost })));
  } finally {
    await grown.close();
  }
  await mkdir(plots, { recursive: true });
  const kinds = [...new Set(found.map(({ what }) => what))];
  const growths: Row[] = [];
  for (const what of kinds) {
    const costs = found.filter((cost) => cost.what === what);
    const plot = join(plots, `${`${of} ${what}`.replace(/[^a-z\d]+/gi, '-')}.svg`);
    await writeFile(plot, svgOf(plotOf(costs, { of, unit, what })));
    growths.push({ of, what, ...growthOf(costs), plot });
  }
  const rows = found.map(({ size, what, cpu_us, limit_cpu_us, more }) => {
    return { of, what, size, cpu_us, limit_cpu_us, times_limit: cpu_us / limit_cpu_us, ...more };
  });
  return [...rows, ...growths];
}

/** Beside the least, and not the first: what is shared by few costs each of them more. */
function growthOf(costs: readonly (Cost & { size: number })[]): Row {
  const growth = (pick: (cost: Cost) => number) => pick(costs.at(-1) as Cost) / Math.min(...costs.slice(0, -1).map(pick));
  const ours = growth(({ cpu_us }) => cpu_us);
  const limits = growth(({ limit_cpu_us }) => limit_cpu_us);
  return { from: costs[0]?.size, to: costs.at(-1)?.size, growth: ours, limit_growth: limits, growth_beside_limit: ours / limits };
}

function plotOf(costs: readonly (Cost & { size: number })[], { of, unit, what }: { of: string; unit: string; what: string }) {
  const line = (pick: (cost: Cost) => number) => costs.map((cost) => [cost.size, pick(cost)] as const);
  return {
    title: `${of}: ${what}`,
    x: of,
    y: `processor time a ${unit}, µs`,
    series: [
      { name: 'the platform', points: line(({ cpu_us }) => cpu_us) },
      { name: 'its limit', points: line(({ limit_cpu_us }) => limit_cpu_us) },
    ],
  };
}
