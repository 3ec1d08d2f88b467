import { AsyncResource } from 'node:async_hooks';
import type { Disposable } from '../../../kernel/contract/index.js';
import type { Answerer, Place, Task } from '../contract.js';
import type { Ports } from '../ports.js';
import type { Group } from '../store/groups-sql.js';
import { claimOf } from '../store/tasks-sql.js';
import { withdraw } from './outcome.js';
import { append } from './recorder.js';
import type { ReplyWorker } from './work.js';

/**
 * Places tasks that need a node: it claims those with an available node; the others wait and show for which node. Not used for tasks
 * without a node.
 */
export class Placer implements Disposable {
  readonly #ports: Ports;
  readonly #worker: ReplyWorker;
  /** Async context of the work, so that it doesn't inherit the request or the transaction that caused it. */
  readonly #context = new AsyncResource('chat.placer');
  #looking: Promise<void> | undefined;
  #wanted = false;
  #retired = false;

  constructor(ports: Ports, worker: ReplyWorker) {
    this.#ports = ports;
    this.#worker = worker;
  }

  /** Places all waiting tasks; resolves when each has started or waits for its node. */
  look(): Promise<void> {
    this.#wanted = true;
    this.#looking ??= this.#context.runInAsyncScope(() =>
      this.#lookOften().finally(() => {
        this.#looking = undefined;
      }),
    );
    return this.#looking;
  }

  /** Stops claiming. */
  retire(): void {
    this.#retired = true;
  }

  dispose(): void {
    this.retire();
    this.#context.emitDestroy();
  }

  async #lookOften(): Promise<void> {
    while (this.#wanted && !this.#retired) {
      this.#wanted = false;
      for (const answerer of this.#ports.answerers()) {
        await this.#look(answerer).catch((fault: unknown) => {
          this.#ports.log.warn('Could not place tasks that need a node; retrying', { err: fault });
        });
      }
    }
  }

  async #look(answerer: Answerer): Promise<void> {
    const { target_type } = answerer;
    const ids = this.#worker.own?.map(String);
    if (ids?.length === 0) return;
    const groups = await this.#ports.placed.groups(target_type, ids);
    if (groups.length === 0) return;
    const places = answerer.places ? await answerer.places(groups) : groups.map(({ node_id }) => ({ node_id }));
    for (const [at, group] of groups.entries()) {
      const place = places[at];
      if (place && !this.#retired) await this.#settle(target_type, group, place);
    }
  }

  async #settle(target_type: string, group: Group, place: Place): Promise<void> {
    if (place.waits !== undefined) return this.#wait(group, place);
    if (group.reason === 'node_deleted' && place.node_id === null && place.why === 'no_node') return this.#withdraw(group);
    const filter = claimOf(group, { target_type, node_id: place.node_id });
    while (!this.#retired) {
      const [reply] = await this.#worker.claim(filter);
      if (!reply) return;
      void reply.catch(() => undefined).then(() => this.look());
    }
  }

  async #wait(group: Group, place: Extract<Place, { waits: string }>): Promise<void> {
    if (group.node_id === place.node_id && group.reason === place.waits) return;
    const { db, placed, frames } = this.#ports;
    for (;;) {
      const waiting = await placed.ofGroup(group);
      const changed = await db.transaction(async () => {
        const stored = await placed.wait(waiting, place);
        for (const task of stored) frames.task(task);
        return stored;
      });
      for (const task of changed) await this.#tell(task);
      if (changed.length === 0) return;
    }
  }

  /** Ends tasks whose node is gone and that have no other. */
  async #withdraw(group: Group): Promise<void> {
    for (const task of await this.#ports.placed.ofGroup(group)) await withdraw(this.#ports, task, 'node_deleted');
    // The next tasks of these sessions may start.
    this.#wanted = true;
  }

  #tell(task: Task): Promise<void> {
    const { journal, log } = this.#ports;
    const { id: task_id, session_id, reply_id: message_id, node_id, reason } = task;
    const ids = { seq: 0, task_id, message_id };
    return append({ journal, log, task_id, session_id }, [
      { type: 'task.updated', data: { ...ids, task } },
      { type: 'node.awaited', data: { ...ids, node_id, reason } },
    ]);
  }
}
