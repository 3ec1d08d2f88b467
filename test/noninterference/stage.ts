import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import { direct } from '../../kernel/client/direct.js';
import { http } from '../../kernel/client/http.js';
import type { Transport } from '../../kernel/client/transport.js';
import type { OperationData } from '../../kernel/contract/index.js';
import { endsWithin } from '../../kernel/contract/within.js';
import { parseAddress } from '../../kernel/platform/data/address.js';
import { startModelServer } from '../helpers/model-server.js';
import { callerOf, startPlatform, type TestPlatform } from '../helpers/platform.js';
import { obey } from './obedient-model.js';
import { Outbox } from './outbox-sql.js';
import { type Person, people } from './steps.js';

/** A member of a run, who calls over HTTP. */
export interface Player {
  id: number;
  username: string;
  token: string;
  transport: Transport;
  /** Calls in this process: faster, with the same answers. */
  direct: Transport;
}

/** The members of one run. */
export interface Cast {
  /** Makes the user names of the run unique. */
  tag: string;
  players: ReadonlyMap<string, Player>;
  employees: readonly { id: number; username: string }[];
  close(): Promise<void>;
}

const settle_ms = 10_000;
const soon_ms = 20;
const password = 'a password of a test';

/** A platform on which histories run, one after another, each with members of its own. */
export class Stage {
  readonly platform: TestPlatform;
  readonly operations: Readonly<Record<string, OperationData>>;
  readonly #outbox: Outbox;
  #runs = 0;
  #admin: Player | undefined;

  private constructor(platform: TestPlatform, outbox: Outbox) {
    this.platform = platform;
    this.operations = platform.kernel.operations();
    this.#outbox = outbox;
  }

  /** `extensions`: folders to load in place of the platform's own. */
  static async start(t: Test, { extensions }: { extensions?: readonly string[] } = {}): Promise<Stage> {
    const model = await startModelServer(t);
    model.script(obey);
    const settings = {
      'agents.model.base_url': model.url,
      'agents.model.name': 'obedient',
      'agents.model.api_key': 'sk-test',
      log_level: 'info',
    };
    const platform = await startPlatform(t, { settings, strict: false, ...(extensions && { extensions }) });
    const address = parseAddress(platform.database_url, platform.data_dir);
    if (address.dialect !== 'sqlite') throw new Error('Histories run on SQLite');
    const outbox = new Outbox(address.file);
    t.teardown(() => outbox.close());
    return new Stage(platform, outbox);
  }

  invoke(operation: string, input: object, as?: Parameters<typeof callerOf>[0]): Promise<unknown> {
    return this.platform.kernel.invoke(operation, input, callerOf(as)).then(({ body }) => body);
  }

  /** Returns new members. */
  cast(modes: readonly string[]): Promise<Cast> {
    return this.#cast(modes);
  }

  /**
   * Waits until nothing that was started goes on: neither work nor the delivery of events. A task that waits for a person never ends; with one
   * it waits only for what ends soon.
   */
  async settle({ waits = false } = {}): Promise<void> {
    const { kernel } = this.platform;
    const limit = Date.now() + settle_ms;
    for (let quiet = 0; quiet < 2; ) {
      if (Date.now() > limit) throw new Error('The platform does not settle');
      const isDone = await endsWithin(waits ? soon_ms : settle_ms, kernel.settled());
      if (!isDone && !waits) throw new Error('The work of extensions does not end');
      quiet = (await this.#outbox.isEmpty()) ? quiet + 1 : 0;
      if (quiet < 2) await pause(1);
    }
  }

  async #cast(modes: readonly string[]): Promise<Cast> {
    this.#runs += 1;
    const tag = `r${String(this.#runs).padStart(6, '0')}`;
    const players = new Map<string, Player>();
    // One after another, so that their ids are in this order.
    for (const person of people) players.set(person, await this.#player(person, `${person}-${tag}`));
    this.#admin ??= await this.#connected(1, 'admin', 'admin');
    players.set('admin', this.#admin);
    const employees = [];
    for (const [index, mode] of modes.entries()) {
      const name = `vic${index + 1}-${tag}`;
      employees.push((await this.invoke('members.create_virtual', { name, mode })) as { id: number; username: string });
    }
    const close = async () => {
      for (const person of people) await players.get(person)?.transport.close();
    };
    return { tag, players, employees, close };
  }

  async #player(person: Person, username: string): Promise<Player> {
    const { id } = (await this.invoke('members.create', { username, nickname: `${person} of ${username}`, password })) as { id: number };
    return this.#connected(id, username, 'member');
  }

  async #connected(id: number, username: string, role: 'member' | 'admin'): Promise<Player> {
    const input = { name: `of ${username} ${this.#runs}` };
    const inProcess = direct(this.platform.kernel, callerOf({ member_id: id, username, role }));
    const { token } = (await this.invoke('tokens.create', input, { member_id: id, username, role })) as { token: string };
    return { id, username, token, transport: http({ url: this.platform.url, token }), direct: inProcess };
  }
}
