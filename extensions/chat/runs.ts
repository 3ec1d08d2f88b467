import type { MembersService } from '../members/contract.js';
import { fail } from './codes.js';
import type { RunDetail, RunQuery, RunRecord, StoppedTask } from './contract.js';
import type { Ports } from './ports.js';
import type { Stopper } from './replies/stopper.js';
import type { OpenTask, OpenTasks } from './store/runs.js';

interface RunsParts {
  ports: Ports;
  open: OpenTasks;
  members: MembersService;
  stopper: Stopper;
}

/** Running and waiting tasks of all members, for administrators, without content. */
export class Runs {
  readonly #parts: RunsParts;

  constructor(parts: RunsParts) {
    this.#parts = parts;
  }

  async list(query: RunQuery): Promise<RunRecord[]> {
    return (await this.#parts.open.page(query)).map(withoutContents);
  }

  /**
   * Returns a task; with content if oversight is enabled for the AI employee, and in a room only to its members. Fails with
   * `task_not_found`.
   */
  async get(task_id: string, caller_id: number): Promise<RunDetail> {
    const { ports, open, members } = this.#parts;
    const task = await open.find(task_id);
    if (!task) throw notFound(task_id);
    const run = withoutContents(task);
    const oversight = (await members.virtual(task.member_id))?.oversight === true;
    const shows = oversight && (task.lane === 0 || (await ports.sessions.get(task.session_id, caller_id)) !== undefined);
    if (!shows) return { ...run, oversight, message: null, reply: null };
    const [message, reply] = await Promise.all([ports.messages.find(task.message_id), ports.messages.find(task.reply_id)]);
    return { ...run, oversight, message: message?.message ?? null, reply: reply?.message ?? null };
  }

  /** Aborts a task. Fails with `task_not_found`, or with `abort_unconfirmed` as an abort by its member does. */
  async abort(task_id: string): Promise<StoppedTask & { aborted: boolean }> {
    const outcome = await this.#parts.stopper.stop(task_id, 'aborted');
    if (!outcome) throw notFound(task_id);
    return { task_id, status: outcome.task.status, aborted: outcome.stopped };
  }
}

function withoutContents({ message_id: _message, reply_id: _reply, session_id: _session, lane: _lane, ...run }: OpenTask): RunRecord {
  return run;
}

function notFound(task_id: string): Error {
  return fail('task_not_found', `There is no run ${task_id}`);
}
