import type { Caller, Contribution, Log, ToolProvider } from '../../../kernel/contract/index.js';
import type { ToolReports } from '../../chat/contract.js';
import type { Placement, Whereabouts } from '../placement.js';
import type { Stopwatch } from '../run/limits.js';
import type { Worker } from '../run/worker.js';
import { ToolCalls, type ToolCallsOptions } from './calls.js';
import { Toolbox } from './toolbox.js';

/** Where the tools of all runs come from. */
export interface KitSource {
  /** Undefined where there is none. */
  worker: (member_id: number) => Promise<Worker | undefined>;
  /** The member with all its rights, as it is now. Fails with `member_not_found`. */
  caller: (member_id: number) => Promise<Caller>;
  providers: () => readonly Contribution<ToolProvider>[];
  readArguments: ToolCallsOptions['readArguments'];
  placement: Placement;
  log: Log;
}

/** Who works for whom, and who is told of it. */
export interface KitUse {
  employee_id: number;
  worker: Worker;
  asker: { member_id: number; scopes: Caller['scopes'] };
  /** The node on which the work begins. */
  node_id: number | null;
  permit: ToolCallsOptions['permit'];
  reports: ToolReports;
  stopwatch: Stopwatch;
  signal: AbortSignal;
}

/** What an AI employee works with in one run. */
export interface Kit {
  toolbox: Toolbox;
  calls: ToolCalls;
  /** Where it works. */
  at: Whereabouts;
}

/** The tools that it may use now; each call looks again at who may what. */
export async function openKit(source: KitSource, use: KitUse): Promise<Kit> {
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
