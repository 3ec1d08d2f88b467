import { randomBytes } from 'node:crypto';
import type { Clock, Storage } from 'platform/contract';
import { fail } from './codes.js';
import type { Hook } from './contract.js';

/** A stored hook, with its secret and its owner. */
export interface StoredHook extends Omit<Hook, 'path'> {
  owner: number;
  secret: string;
}

const max = 500;
const max_each = 20;
/** Number of deliveries stored for each hook. */
const remembered = 500;
const [prefix, seen] = ['hook:', 'seen:'];

/** The hooks in the plugin's storage. */
export class Hooks {
  readonly #storage: Storage;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  async all(): Promise<StoredHook[]> {
    const keys = await this.#storage.keys(prefix);
    const found = await Promise.all(keys.map((key) => this.get(key.slice(prefix.length))));
    return found.filter((hook) => hook !== undefined).sort((one, other) => (one.created_at < other.created_at ? -1 : 1));
  }

  async get(id: string): Promise<StoredHook | undefined> {
    return (await this.#storage.get(prefix + id)) as StoredHook | undefined;
  }

  /** Fails if the limit of hooks is reached. */
  async make(given: Pick<StoredHook, 'name' | 'session_id' | 'owner'>): Promise<StoredHook> {
    const hook: StoredHook = {
      ...given,
      id: randomBytes(16).toString('hex'),
      secret: `whsec_${randomBytes(32).toString('base64url')}`,
      created_at: this.#clock.iso(),
      posted: 0,
      last_at: null,
      error: null,
    };
    await this.#storage.set(prefix + hook.id, hook);
    // Counted after storing this one, so that hooks created concurrently, on any instance, all count.
    try {
      await this.#assertFew(given.owner);
    } catch (fault) {
      await this.remove(hook.id);
      throw fault;
    }
    return hook;
  }

  async remove(id: string): Promise<void> {
    await this.#storage.delete(prefix + id);
    await this.#storage.delete(seen + id);
  }

  /** Returns whether any of these marks is known. */
  async knows(id: string, marks: readonly string[]): Promise<boolean> {
    const known = await this.#marks(id);
    return marks.some((mark) => known.includes(mark));
  }

  /** Stores the result of the last delivery, and the marks of a posted one. */
  async ended(id: string, outcome: { marks: readonly string[] } | { error: string }): Promise<void> {
    const hook = await this.get(id);
    if (!hook) return;
    const last_at = this.#clock.iso();
    if ('error' in outcome) {
      await this.#storage.set(prefix + id, { ...hook, last_at, error: outcome.error });
      return;
    }
    const marks = [...(await this.#marks(id)), ...outcome.marks].slice(-2 * remembered);
    await this.#storage.set(seen + id, marks);
    await this.#storage.set(prefix + id, { ...hook, last_at, posted: hook.posted + 1, error: null });
  }

  async #assertFew(owner: number): Promise<void> {
    const hooks = await this.all();
    if (hooks.length > max) throw fail('too_many_hooks', `There are ${max} hooks already: delete one first`);
    if (hooks.filter((hook) => hook.owner === owner).length > max_each)
      throw fail('too_many_hooks', `You have ${max_each} hooks already: delete one first`);
  }

  async #marks(id: string): Promise<string[]> {
    return ((await this.#storage.get(seen + id)) ?? []) as string[];
  }
}
