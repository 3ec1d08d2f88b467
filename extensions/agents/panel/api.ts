import { type Action, mayAdminister, type PanelProps, type PendingApproval, roomNotice } from '../../../tui/kit/index.js';
import type { ChatApi, RunRecord, Task } from '../../chat/contract.js';
import type { MembersApi } from '../../members/contract.js';
import type { AgentsApi } from '../contract.js';

/** Operations that the panel uses. */
export type PanelApi = AgentsApi &
  Pick<MembersApi, 'members.list_virtual'> &
  Pick<ChatApi, 'runs.list' | 'runs.get' | 'runs.abort' | 'tasks.active' | 'tasks.cancel' | 'tasks.stream'>;

export type Props = PanelProps<PanelApi>;
export type PanelClient = Props['client'];

/** Work of an AI employee, as far as the viewer may see it. */
export interface Work {
  task_id: string;
  member_id: number;
  requested_by: number;
  status: string;
  /** Tool in use, or the title of the task. */
  doing: string;
  tokens: number | null;
  since: string;
  /** Approval that the viewer may decide. */
  approval: PendingApproval | undefined;
}

/** Reads current work: administrators see everybody's, others their own. */
export async function readWork({ client, me }: Pick<Props, 'client' | 'me'>, signal: AbortSignal): Promise<Work[]> {
  const [approvals, works] = await Promise.all([
    client.approvals.list({ status: 'pending', limit: 200, offset: 0 }, { signal }),
    mayAdminister(me) ? readRuns(client, signal) : readTasks(client, signal),
  ]);
  return works.map((work) => ({ ...work, approval: approvals.find(({ task_id }) => task_id === work.task_id) }));
}

async function readRuns(client: PanelClient, signal: AbortSignal): Promise<Work[]> {
  return (await client.runs.list({ limit: 200, offset: 0 }, { signal })).map(ofRun);
}

async function readTasks(client: PanelClient, signal: AbortSignal): Promise<Work[]> {
  return (await client.tasks.active({}, { signal })).map(ofTask);
}

function ofRun({ task_id, member_id, requested_by, status, tool, started_at, created_at, ...spent }: RunRecord): Work {
  const tokens = spent.input_tokens + spent.output_tokens;
  return { task_id, member_id, requested_by, status, doing: tool ?? '', tokens, since: started_at ?? created_at, approval: undefined };
}

function ofTask({ id, member_id, requested_by, status, title, started_at, created_at }: Task): Work {
  return { task_id: id, member_id, requested_by, status, doing: title, tokens: null, since: started_at ?? created_at, approval: undefined };
}

/** Returns the actions for a piece of work. */
export function workActions({ client, me }: Pick<Props, 'client' | 'me'>, again: () => void): Action<Work>[] {
  const decide =
    (decision: 'approve' | 'deny') =>
    async ({ approval }: Work) => {
      if (approval) await client.approvals.decide({ id: approval.id, decision, reason: '' });
      again();
    };
  const asked = ({ approval }: Work) => approval !== undefined;
  return [
    { key: 'a', label: 'approve', run: decide('approve'), confirm: ({ approval }) => questionOf(approval), when: asked },
    { key: 'd', label: 'deny', run: decide('deny'), when: asked },
    {
      key: 'x',
      label: 'stop',
      confirm: ({ requested_by }) => (requested_by === me.id ? 'Stop this work?' : 'Stop the work of another member?'),
      run: async ({ task_id, requested_by }) => {
        await (requested_by === me.id ? client.tasks.cancel({ task_id }) : client.runs.abort({ task_id }));
        again();
      },
    },
  ];
}

function questionOf(approval: PendingApproval | undefined): string {
  if (approval === undefined) return '';
  const { name, input, session_id, room_title } = approval;
  const question = `Let it use ${name} with ${JSON.stringify(input)}?`;
  return typeof room_title === 'string' ? `${question} ${roomNotice({ session_id, title: room_title })}` : question;
}

/** Frames after which work may have changed. */
export const workFrames = ['task.updated', 'approval.*', 'message.created'];
