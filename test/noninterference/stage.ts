import { setImmediate as turn } from 'node:timers/promises';
import type { Test } from 'tap';
import { direct } from '../../kernel/client/direct.js';
import { http } from '../../kernel/client/http.js';
import type { Request, Transport } from '../../kernel/client/transport.js';
import type { Caller, OperationData, ServiceMembers, StreamEvent } from '../../kernel/contract/index.js';
import { endsWithin } from '../../kernel/contract/within.js';
import { parseAddress } from '../../kernel/platform/data/address.js';
import type { Workshop } from '../fixtures/extensions/toolsmith/contract.js';
import { fixture, ownExtension } from '../helpers/folders.js';
import { startModelServer } from '../helpers/model-server.js';
import { callerOf, startPlatform, type TestPlatform } from '../helpers/platform.js';
import { obey } from './obedient-model.js';
import { Outbox } from './outbox-sql.js';
import { hashOnce } from './passwords.js';
import { type Person, people } from './steps.js';

/** A member of a run. */
export interface Player {
  id: number;
  username: string;
  /** Undefined for a plugin's own member. */
  token: string | undefined;
  /** Calls over HTTP. */
  transport: Transport;
  /** Calls in this process: faster, with the same answers. */
  direct: Transport;
  /** Opens a stream in this process. `opened` resolves when the reader is there, or cannot be. */
  follow(request: Request): { events: AsyncIterable<StreamEvent>; opened: Promise<void> };
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
const soon_ms = 10;
const password = 'a password of a test';

/** Extensions of the platform, and one that stands for a plugin with a tool. */
const ids = ['system', 'members', 'chat', 'agents', 'notifications', 'schedules', 'marketplace', 'nodes'];
export const extensionFolders: readonly string[] = [...ids.map(ownExtension), fixture('toolsmith')];
const workshop: Workshop = { tools: () => [], done: [], reached: [], asked: [] };

/** A platform on which histories run, one after another, each with members of its own. */
export class Stage {
  readonly platform: TestPlatform;
  readonly operations: Readonly<Record<string, OperationData>>;
  readonly #outbox: Outbox;
  #runs = 0;

  private constructor(platform: TestPlatform, outbox: Outbox) {
    this.platform = platform;
    this.operations = platform.kernel.operations();
    this.#outbox = outbox;
  }

  /** `extensions`: folders to load in place of the platform's own. */
  static async start(t: Test, extensions: readonly string[] = extensionFolders): Promise<Stage> {
    hashOnce();
    Object.assign(globalThis, { workshop });
    const model = await startModelServer(t);
    model.script(obey);
    const settings = {
      'agents.model.base_url': model.url,
      'agents.model.name': 'obedient',
      'agents.model.api_key': 'sk-test',
      log_level: 'info',
    };
    const platform = await startPlatform(t, { settings, strict: false, extensions });
    const address = parseAddress(platform.database_url, platform.data_dir);
    if (address.dialect !== 'sqlite') throw new Error('Histories run on SQLite');
    const outbox = new Outbox(address.file);
    t.teardown(() => outbox.close());
    await outbox.widenNumbers();
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
      if (quiet < 2) await turn();
    }
  }

  async #cast(modes: readonly string[]): Promise<Cast> {
    this.#runs += 1;
    const tag = `r${String(this.#runs).padStart(6, '0')}`;
    const players = new Map<string, Player>();
    // One after another, so that their ids are in this order.
    for (const name of [...people, 'admin'] as const) players.set(name, await this.#player(name, `${name}-${tag}`));
    players.set('plugin', await this.#plugin(tag));
    const employees = [];
    for (const [index, mode] of modes.entries()) {
      const name = `vic${index + 1}-${tag}`;
      employees.push((await this.invoke('members.create_virtual', { name, mode })) as { id: number; username: string });
    }
    const close = async () => {
      for (const player of players.values()) await player.transport.close();
      // Administrators of earlier runs would read of later ones.
      await this.invoke('members.update', { id: players.get('admin')?.id, role: 'member' });
    };
    return { tag, players, employees, close };
  }

  async #player(name: Person | 'admin', username: string): Promise<Player> {
    const role = name === 'admin' ? 'admin' : 'member';
    const input = { username, nickname: `${name} of ${username}`, password, role };
    const { id } = (await this.invoke('members.create', input)) as { id: number };
    return this.#connected(id, username, role);
  }

  async #connected(id: number, username: string, role: 'member' | 'admin'): Promise<Player> {
    const input = { name: `of ${username} ${this.#runs}` };
    const { token } = (await this.invoke('tokens.create', input, { member_id: id, username, role })) as { token: string };
    return this.#playerOf(callerOf({ member_id: id, username, role }), token);
  }

  /** Returns a new plugin's own member, as the kernel has it made. */
  async #plugin(tag: string): Promise<Player> {
    const [maker] = this.platform.kernel.host.running.get('members')?.draft.slots.get('plugins.member') ?? [];
    return this.#playerOf(await (maker as ServiceMembers).caller({ id: `acme.${tag}`, name: `Plugin of ${tag}` }));
  }

  #playerOf(caller: Caller, token?: string): Player {
    const { kernel, url } = this.platform;
    const inProcess = direct(kernel, caller);
    return {
      id: caller.member_id,
      username: caller.username,
      token,
      transport: token === undefined ? inProcess : http({ url, token }),
      direct: inProcess,
      follow: (request) => {
        let open: () => void;
        const opened = new Promise<void>((resolve) => (open = resolve));
        // The reader enters right after the call's answer.
        const invoke: typeof kernel.invoke = (...given) => kernel.invoke(...given).finally(() => setImmediate(open));
        return { events: direct({ invoke, localCaller: () => Promise.resolve(caller) }, caller).stream(request), opened };
      },
    };
  }
}
