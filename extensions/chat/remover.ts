import type { Task } from './contract.js';
import type { Ports } from './ports.js';
import type { StopReason } from './replies/execution.js';
import type { Placer } from './replies/placer.js';
import { sessionTopic } from './replies/recorder.js';
import type { Stopper } from './replies/stopper.js';
import { type BytesOfMembers, sumsOf } from './store/usage-sql.js';

const batch = 200;
/** Time after which waiting tasks of a leaving member are removed with the member. */
const leaving_ms = 5_000;

/** Removes sessions with their content, and data of deleted members. */
export class Remover {
  readonly #ports: Ports;
  readonly #stopper: Stopper;
  readonly #placer: Placer;

  constructor(ports: Ports, { stopper, placer }: { stopper: Stopper; placer: Placer }) {
    this.#ports = ports;
    this.#stopper = stopper;
    this.#placer = placer;
  }

  /** Stops the tasks of a session, then removes it. */
  async session(id: string): Promise<void> {
    const { tasks } = this.#ports;
    // In reverse order: otherwise each stop would start the next task.
    for (const task of (await tasks.openOf(id)).reverse()) await this.#stopper.stop(task.id, 'session_deleted');
    const { db, usage } = this.#ports;
    await db.transaction(async () => {
      await this.#dissolve(id);
      await usage.free(await this.#remove([id], 'session_deleted'));
    });
  }

  /** Reports that the members of a room lose access to it. */
  async #dissolve(session_id: string): Promise<void> {
    const { ids } = await this.#ports.membership.of(session_id);
    for (let start = 0; start < ids.length; start += batch)
      await this.#ports.emit('chat.session_left', { session_id, member_ids: ids.slice(start, start + batch) });
  }

  /** Stops the tasks of a member or AI employee that is being deleted or became inactive. */
  async leaving(member_id: number, reason: 'member_deleted' | 'member_inactive'): Promise<void> {
    const { tasks, clock } = this.#ports;
    const open = await tasks.openFor(member_id);
    // Waiting tasks go first; otherwise each stop would start the next one of the session.
    const [waiting, running] = [open.filter(({ status }) => status === 'queued'), open.filter(({ status }) => status !== 'queued')];
    const until = clock.now() + leaving_ms;
    for (const { id } of waiting.reverse()) if (clock.now() < until) await this.#stopper.stop(id, reason);
    await Promise.all(running.map(({ id }) => this.#stopper.stop(id, reason)));
  }

  /** Removes a member's data within the transaction that deletes the member. `depart` takes it out of its rooms. */
  async member(member_id: number, depart: () => Promise<void>): Promise<void> {
    const { db, sessions, messages, tasks, pairs, rooms, files, reactions, reports, usage } = this.#ports;
    await db.transaction(async () => {
      const freed = await this.#remove(await sessions.soleSessionsOf(member_id), 'member_deleted');
      await messages.disown(member_id, await rooms.formerRoomsOf(member_id));
      await depart();
      await rooms.forgetFormer(member_id);
      await pairs.forgetMember(member_id);
      await reactions.forgetMember(member_id);
      await reports.forgetMember(member_id);
      await sessions.leaveAll(member_id);
      const orphans = await tasks.openFor(member_id);
      await files.disown(member_id);
      await usage.forget(member_id, freed);
      db.afterCommit(() => this.#stopLater(orphans, 'member_deleted'));
    });
  }

  /** Removes rooms that have had no people for a long time; returns their number. */
  async emptied(before: string): Promise<number> {
    const ids = await this.#ports.rooms.emptiedBefore(before, batch);
    for (const id of ids) await this.session(id);
    return ids.length;
  }

  /** Marks the tasks that wait for a node, within the transaction that deletes it; they are placed again after the commit. */
  async node(node_id: number): Promise<void> {
    const { db, placed } = this.#ports;
    await placed.lose(node_id);
    db.afterCommit(() => void this.#placer.look());
  }

  /** Stops the tasks that run on a deleted node. */
  async tasksOn(node_id: number): Promise<void> {
    const running = await this.#ports.placed.runningOn(node_id);
    await Promise.all(running.map(({ id }) => this.#stopper.stop(id, 'node_deleted')));
  }

  /** Removes sessions within the current transaction. Returns the bytes that members had in them. */
  async #remove(ids: readonly string[], reason: Exclude<StopReason, 'lost'>): Promise<BytesOfMembers> {
    const { db, sessions, messages, tasks, pairs, rooms, followers, images, files, reactions, reports, usage, journal, emit } = this.#ports;
    const open: Task[] = [];
    const freed: BytesOfMembers[] = [];
    for (let start = 0; start < ids.length; start += batch) {
      const some = ids.slice(start, start + batch);
      open.push(...(await tasks.deleteOf(some)));
      await pairs.forgetSessions(some);
      await sessions.delete(some);
      // After the session's row is deleted no task can be added; this deletes those added until then.
      open.push(...(await tasks.deleteOf(some)));
      freed.push(await usage.inSessions(some));
      await messages.deleteOf(some);
      await images.forget(some);
      freed.push(await files.forget({ session_id: some }));
      await reactions.deleteOf(some);
      await reports.deleteOf(some);
      await rooms.delete(some);
      await followers.deleteOf(some);
      await emit('chat.sessions_deleted', { ids: some });
    }
    db.afterCommit(() => {
      this.#stopLater(open, reason);
      for (const id of ids) journal.end(sessionTopic(id)).catch(() => undefined);
    });
    return sumsOf(freed.flatMap((part) => [...part].map(([member_id, bytes]) => ({ member_id, bytes }))));
  }

  /** Stops tasks after the commit. Their rows may be gone already; then only their generators are stopped. */
  #stopLater(tasks: readonly Task[], reason: Exclude<StopReason, 'lost'>): void {
    if (tasks.length === 0) return;
    const stopped = this.#stopper.stopAll(tasks, reason);
    this.#ports.track(stopped.catch((fault: unknown) => this.#ports.log.warn('Could not stop tasks', { reason, err: fault })));
  }
}
