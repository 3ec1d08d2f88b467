import type { Caller, Contribution, Log, ToolProvider } from '../../../kernel/contract/index.js';
import type { ToolReports } from '../../chat/contract.js';
import { mayUseForAll, type Placement, type WorkLocation } from '../placement.js';
import type { Stopwatch } from '../run/limits.js';
import type { RunEmployee } from '../run/run-employee.js';
import { ToolCalls, type ToolCallsOptions } from './calls.js';
import { Toolbox } from './toolbox.js';

/** Dependencies that the tools of all runs share. */
export interface RunToolsSource {
  /** Returns the AI employee; undefined if there is none. */
  findEmployee: (member_id: number) => Promise<RunEmployee | undefined>;
  /** Returns the member with all its current permissions. Fails with `member_not_found`. */
  caller: (member_id: number) => Promise<Caller>;
  providers: () => readonly Contribution<ToolProvider>[];
  readArguments: ToolCallsOptions['readArguments'];
  placement: Placement;
  /** Returns the ids of all administrators. */
  admins: () => Promise<ReadonlySet<number>>;
  log: Log;
}

/** The AI employee, the member it works for, and the run's callbacks. */
export interface RunToolsInput {
  employee_id: number;
  employee: RunEmployee;
  asker: { member_id: number; scopes: Caller['scopes'] };
  /** Node on which the work has begun; null for none. */
  node_id: number | null;
  permit: ToolCallsOptions['permit'];
  /** Shows the calls to readers. */
  reports: ToolReports;
  stopwatch: Stopwatch;
  signal: AbortSignal;
  room?: ToolCallsOptions['room'];
}

/** Tools of an AI employee in one run. */
export interface RunTools {
  toolbox: Toolbox;
  calls: ToolCalls;
  /** Node on which the AI employee works. */
  at: WorkLocation;
}

/** Opens the tools that the AI employee may use now. Each call reads the employee and the asking member again and checks permissions. */
export async function openRunTools(source: RunToolsSource, use: RunToolsInput): Promise<RunTools> {
  const { providers, readArguments, log } = source;
  const { employee_id, employee, asker, signal, ...rest } = use;
  const caller = async () => ({ ...(await source.caller(asker.member_id)), scopes: asker.scopes });
  const room = use.room && { session_id: use.room.session_id, number: use.room.number, approved: false };
  const mayUseNode = async ({ node_users }: Pick<RunEmployee, 'node_users'>) => {
    if (!use.room) return true;
    const audience = await use.room.audience();
    return audience !== undefined && mayUseForAll(node_users, audience, await source.admins());
  };
  const now = { ...(await caller()), room };
  const whereabouts = await source.placement.whereabouts(employee, now, use.node_id);
  const at: WorkLocation = (await mayUseNode(employee)) ? whereabouts : { node_id: null, why: 'no_grant' };
  const context = { employee: { member_id: employee_id, name: employee.name }, asker: now, node_id: at.node_id, signal };
  const toolbox = await Toolbox.open({ providers: providers(), use: context, allowed: employee.tools, log });
  return {
    toolbox,
    at,
    calls: new ToolCalls({
      ...rest,
      mayUseNode,
      toolbox,
      readArguments,
      caller,
      employee: () => source.findEmployee(employee_id),
      signal,
      log,
    }),
  };
}
