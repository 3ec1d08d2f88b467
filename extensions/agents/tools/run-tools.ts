import type { Caller, Contribution, Log, ToolProvider } from '../../../kernel/contract/index.js';
import type { ToolReports } from '../../chat/contract.js';
import type { Placement, WorkLocation } from '../placement.js';
import type { Stopwatch } from '../run/limits.js';
import type { RunEmployee } from '../run/run-employee.js';
import { ToolCalls, type ToolCallsOptions } from './calls.js';
import { Toolbox } from './toolbox.js';

/** Shared source of the tools of all runs. */
export interface RunToolsSource {
  /** Returns the AI employee; undefined if there is none. */
  worker: (member_id: number) => Promise<RunEmployee | undefined>;
  /** Returns the member with all its current permissions. Fails with `member_not_found`. */
  caller: (member_id: number) => Promise<Caller>;
  providers: () => readonly Contribution<ToolProvider>[];
  readArguments: ToolCallsOptions['readArguments'];
  placement: Placement;
  log: Log;
}

/** Participants of a run and its callbacks. */
export interface RunToolsInput {
  employee_id: number;
  worker: RunEmployee;
  asker: { member_id: number; scopes: Caller['scopes'] };
  /** Node on which the work begins. */
  node_id: number | null;
  permit: ToolCallsOptions['permit'];
  reports: ToolReports;
  stopwatch: Stopwatch;
  signal: AbortSignal;
}

/** Tools of an AI employee in one run. */
export interface RunTools {
  toolbox: Toolbox;
  calls: ToolCalls;
  /** Node it works on. */
  at: WorkLocation;
}

/** Opens the tools it may use now; each call checks permissions again. */
export async function openRunTools(source: RunToolsSource, use: RunToolsInput): Promise<RunTools> {
  const { providers, readArguments, log } = source;
  const { employee_id: member_id, worker, asker, signal, ...rest } = use;
  const caller = async () => ({ ...(await source.caller(asker.member_id)), scopes: asker.scopes });
  const now = await caller();
  const at = await source.placement.whereabouts(worker, now, use.node_id);
  const context = { employee: { member_id, name: worker.name }, asker: now, node_id: at.node_id, signal };
  const toolbox = await Toolbox.open({ providers: providers(), use: context, allowed: worker.tools, log });
  const employee = () => source.worker(member_id);
  return { toolbox, at, calls: new ToolCalls({ ...rest, toolbox, readArguments, caller, employee, signal, log }) };
}
