import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fixture, ownExtension } from '../../helpers/folders.js';
import { AskedServer } from './asked.js';
import { atMost, type Effort } from './effort.js';
import { makeFolder, removeFolder } from './folder.js';
import type { Cost, Growing, Grown } from './growth.js';

const own = ['system', 'members', 'chat', 'agents', 'schedules', 'notifications', 'marketplace'];
const max_reloads = 40;

/** Extensions: the platform's own, and small ones of ten operations each. `sizes` are more than 6; each has a platform of its own. */
export function extensions(sizes: readonly number[], effort: Effort): Growing {
  return { of: 'extensions', unit: 'request, or extension', sizes, open: () => GrownExtensions.open(effort) };
}

class GrownExtensions implements Grown {
  readonly #effort: Effort;
  readonly #folder: string;

  private constructor(effort: Effort, folder: string) {
    this.#effort = effort;
    this.#folder = folder;
  }

  static async open(effort: Effort): Promise<GrownExtensions> {
    return new GrownExtensions(effort, await makeFolder());
  }

  async at(size: number): Promise<Cost[]> {
    const small = Array.from({ length: size - own.length }, (_, n) => `extension${n}`);
    const folders = [...own.map(ownExtension), ...(await Promise.all(small.map((name) => copy(name, this.#folder))))];
    const ours = await AskedServer.start('./growth/server.js', [
      join(this.#folder, `data-${size}`),
      JSON.stringify({ extensions: folders }),
    ]);
    const its = await AskedServer.start('./limits/many-routes.js', [String(size)]);
    try {
      return await costs({ ours, its, size, last: small.at(-1) as string }, this.#effort);
    } finally {
      await ours.stop();
      await its.stop();
    }
  }

  close(): Promise<void> {
    return removeFolder(this.#folder);
  }
}

interface Started {
  ours: AskedServer;
  its: AskedServer;
  size: number;
  last: string;
}

async function costs({ ours, its, size, last }: Started, effort: Effort): Promise<Cost[]> {
  const [begun, limit_begun] = [await ours.use(), await its.use()];
  const each = (cpu_s: number) => (cpu_s * 1e6) / size;
  const greet = { path: `/api/x/${last}/greet?name=Ada` };
  const [asked, limit_asked] = [await ours.cost(() => greet, effort), await its.cost(() => greet, effort)];
  const few = atMost(max_reloads, effort);
  const reload = { method: 'POST', path: `/api/admin/plugins/${last}/reload` } as const;
  const [again, limit_again] = [await ours.cost(() => reload, few), await its.cost(() => ({ path: '/again' }), few)];
  const { memory_mb } = await ours.use();
  const row = (what: string, [one, other]: readonly [number, number], more: Cost['more'] = {}) => {
    return { what, cpu_us: one, limit_cpu_us: other, more: { ...more, memory_mb } };
  };
  return [
    row('a start, an extension', [each(begun.cpu_s), each(limit_begun.cpu_s)]),
    row('a request to one of them', [asked.cpu_us, limit_asked.cpu_us], { ms_p99: asked.ms_p99, limit_ms_p99: limit_asked.ms_p99 }),
    row('the replacement of one of them', [again.cpu_us, limit_again.cpu_us], { ms_p99: again.ms_p99, limit_ms_p99: limit_again.ms_p99 }),
  ];
}

/** The fixture `hello` with its ids, paths, events and codes under another name; gives its folder. */
async function copy(name: string, into: string): Promise<string> {
  const [from, to] = [fixture('hello'), join(into, name)];
  await mkdir(to, { recursive: true });
  for (const file of ['manifest.json', 'index.cjs'])
    await writeFile(join(to, file), (await readFile(join(from, file), 'utf8')).replaceAll('hello', name));
  return to;
}
