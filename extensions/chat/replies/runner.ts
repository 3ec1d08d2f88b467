import { AsyncResource } from 'node:async_hooks';
import type { Disposable } from '../../../kernel/contract/index.js';
import { channels, type Ports } from '../ports.js';
import type { NewMessage } from '../store/messages.js';
import type { Claim, Job } from '../store/tasks.js';
import { Endings } from './endings.js';
import { type Claimed, Execution, type StopReason, type Writers } from './execution.js';
import { Flusher } from './flusher.js';
import { withoutShare } from './shares.js';

/** So many replies are written at once in one process; more wait, or go to another instance. Those that wait for a person are not counted. */
const most = 1_200;
/**
 * So many are claimed in one transaction. On SQLite, where each claim waits for all others' writes, one at a time doesn't keep up with 100
 * messages a second; eight begin in bursts, in which new messages wait. PostgreSQL's transactions run beside each other, and of two that
 * hold several sessions each would wait for the other.
 */
const claimed_at_once = { sqlite: 2, postgres: 1 };
const heartbeat_ms = 5_000;

/**
 * Claims waiting tasks and runs them. What it claimed is its own until the end, also when another
 * version of chat has taken over meanwhile: that one neither claims nor stops it, and the leases are
 * held from here.
 */
export class Runner implements Disposable {
  readonly #ports: Ports;
  readonly #writers: Writers;
  readonly #running = new Map<string, Execution>();
  /** In a process that runs one command: what that command started. */
  readonly #adopted = new Set<string>();
  /** Work starts here and not in the request that caused it, whose caller and transaction aren't ours. */
  readonly #outside = new AsyncResource('chat.runner');
  #claiming: Promise<void> | undefined;
  #wanted = false;
  #retired = false;
  #heart: NodeJS.Timeout | undefined;

  constructor(ports: Ports) {
    this.#ports = ports;
    this.#writers = { flusher: new Flusher(ports), endings: new Endings(ports) };
  }

  get running(): number {
    return this.#running.size;
  }

  /** A task that was begun in this process. */
  adopt(task_id: string): void {
    if (!this.#ports.background) this.#adopted.add(task_id);
  }

  /** Claims what waits and starts it; resolves when nothing more could be claimed. */
  wake(): Promise<void> {
    this.#wanted = true;
    this.#claiming ??= this.#outside.runInAsyncScope(() =>
      this.#claimAll().finally(() => {
        this.#claiming = undefined;
      }),
    );
    return this.#claiming;
  }

  /** What alone may be claimed here; undefined: everything. */
  get ids(): readonly string[] | undefined {
    return this.#ports.background ? undefined : [...this.#adopted];
  }

  /** Claims a task for a place and starts it; false where none is left, or no room. `ended` is called at its end. */
  async take(claim: Pick<Claim, 'target_types' | 'place'>, ended: () => void): Promise<boolean> {
    const { room, members } = withoutShare(this.#working(), most);
    if (room === 0 || this.#retired) return false;
    const [claimed] = await this.#claim({ ...claim, not_for: members });
    if (claimed) this.#start(claimed, ended);
    return claimed !== undefined;
  }

  /** Looks for waiting tasks that nobody told of: those of before a restart, and lost messages. */
  async poll(): Promise<void> {
    if (await this.#ports.tasks.anyWaiting()) await this.wake();
  }

  /** Stops a task that runs here and waits for its end; false where it doesn't run here. */
  async stop(task_id: string, reason: StopReason): Promise<boolean> {
    const execution = this.#running.get(task_id);
    if (!execution) return false;
    execution.stop(reason);
    await execution.finished;
    return true;
  }

  /** Renews the leases of what runs here, and stops what somebody else has ended. */
  async renew(): Promise<void> {
    const ids = [...this.#running.keys()];
    if (ids.length === 0) return;
    const held = new Set(await this.#ports.tasks.hold(this.#ports.instance, ids));
    for (const id of ids) if (!held.has(id)) this.#running.get(id)?.stop('lost');
  }

  /** Claims nothing any more. */
  retire(): void {
    this.#retired = true;
  }

  stopAll(reason: StopReason): void {
    for (const execution of this.#running.values()) execution.stop(reason);
  }

  dispose(): void {
    this.retire();
    clearInterval(this.#heart);
    this.#outside.emitDestroy();
  }

  async #claimAll(): Promise<void> {
    while (this.#wanted && !this.#retired) {
      this.#wanted = false;
      try {
        while (!this.#retired && (await this.#claimSome()));
      } catch (fault) {
        this.#ports.log.warn('Waiting tasks could not be claimed; tried again', { err: fault });
      }
    }
  }

  /** Gives whether more may wait. */
  async #claimSome(): Promise<boolean> {
    const { background, answerers, db } = this.#ports;
    const target_types = answerers().map(({ target_type }) => target_type);
    if (target_types.length === 0 || (!background && this.#adopted.size === 0)) return false;
    const { room, members } = withoutShare(this.#working(), most);
    // A look takes no turn among the writes, and mostly nothing waits.
    if (room === 0 || !(await this.#ports.tasks.anyWaiting())) return false;
    const wanted = Math.min(room, claimed_at_once[db.dialect]);
    const claimed = await this.#claim({ target_types, not_for: members, most: wanted });
    for (const one of claimed) this.#start(one);
    return claimed.length === wanted;
  }

  /** For whom replies are written: each as often as it has one. */
  *#working(): Generator<number> {
    for (const { job, waits } of this.#running.values()) if (!waits) yield job.task.requested_by;
  }

  /** The claims, and the rows of the replies, in one transaction: what is claimed has a reply. */
  #claim(claim: Omit<Claim, 'now' | 'ids'>): Promise<Claimed[]> {
    const { db, tasks, sessions, messages, frames, clock, instance } = this.#ports;
    return db.transaction(async () => {
      const { ids } = this;
      const jobs = await tasks.claim(instance, { ...claim, now: clock.iso(), ...(ids && { ids }) });
      if (jobs.length === 0) return [];
      const sessionIds = jobs.map(({ task }) => task.session_id);
      const times = await sessions.nextTimes(sessionIds, clock.now());
      const empty = jobs.flatMap((job) => emptyReply(job, times.get(job.task.session_id)) ?? []);
      const replies = new Map((await messages.insertAll(empty)).map(({ message }) => [message.id, message]));
      return jobs.map((job) => {
        const { task } = job;
        const reply = replies.get(task.reply_id);
        if (reply) {
          frames.created([task.requested_by], reply);
          frames.task(task);
        }
        return { job, reply };
      });
    });
  }

  #start(claimed: Claimed, ended?: () => void): void {
    const { id } = claimed.job.task;
    this.#adopted.delete(id);
    const execution = new Execution(claimed, this.#ports, this.#writers);
    this.#running.set(id, execution);
    this.#heart ??= setInterval(() => void this.#beat(), heartbeat_ms).unref();
    this.#ports.track(execution.finished.then(() => this.#ended(id, ended)));
  }

  async #ended(id: string, tell?: () => void): Promise<void> {
    this.#running.delete(id);
    tell?.();
    if (this.#running.size === 0) {
      clearInterval(this.#heart);
      this.#heart = undefined;
    }
    // The next task of that session, perhaps of another instance or for the version that took over.
    if (this.#retired) await this.#ports.bus.publish(channels.wake, {}).catch(() => undefined);
    else await this.wake();
  }

  /** Not by `ctx.every`, which ends with this version, while its claimed tasks may go on. */
  async #beat(): Promise<void> {
    try {
      await this.renew();
    } catch (fault) {
      this.#ports.log.warn('The leases of running tasks could not be renewed', { err: fault });
    }
  }
}

/** Undefined where its session is gone. */
function emptyReply({ task, member_name: sender_name }: Job, created_at: string | undefined): NewMessage | undefined {
  if (created_at === undefined) return undefined;
  const { reply_id: id, session_id, member_id: sender_id, message_id: reply_to, id: task_id } = task;
  return {
    id,
    session_id,
    sender_id,
    sender_name,
    reply_to,
    task_id,
    created_at,
    content: '',
    role: 'assistant',
    status: 'streaming',
    seq: 0,
  };
}
