import { contentOf } from '../asker.js';
import { type Lane, notOnce, type World } from './lane.js';

const page = 200;

/** AI employees, each of whom is made once, with one row in the audit trail. */
export class Members implements Lane {
  readonly name = 'members';
  readonly #world: World;
  readonly #names: string[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  get acknowledged(): number {
    return this.#names.length;
  }

  async write(): Promise<void> {
    const { asker, run } = this.#world;
    const name = `${run} member ${this.#names.length + 1}`;
    await asker.ask({ method: 'POST', path: '/api/members/virtual', body: { name, post: 'Writer' }, idempotency_key: name });
    this.#names.push(name);
  }

  async faults(): Promise<string[]> {
    const audited = await this.#audited();
    return [...notOnce(this.#names, await this.#listed()), ...notOnce(this.#names, audited).map((fault) => `in the audit trail ${fault}`)];
  }

  async #listed(): Promise<string[]> {
    const { asker, run } = this.#world;
    const found: string[] = [];
    for (let number = 1; ; number += 1) {
      const path = `/api/members?keyword=${encodeURIComponent(`${run} member`)}&page_size=${page}&page=${number}`;
      const { items } = contentOf<{ items: { nickname: string }[] }>(await asker.ask({ method: 'GET', path }));
      found.push(...items.map(({ nickname }) => nickname));
      if (items.length < page) return found;
    }
  }

  async #audited(): Promise<string[]> {
    const rows = await this.#world.rows<{ input: string }>("SELECT input FROM kernel_audit WHERE operation = 'members.create_virtual'");
    return rows.map(({ input }) => (JSON.parse(input) as { name: string }).name).filter((name) => name.startsWith(`${this.#world.run} `));
  }
}
