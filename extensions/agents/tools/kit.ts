import type { Caller, Contribution, Log } from '../../../kernel/contract/index.js';
import type { ToolReports } from '../../chat/contract.js';
import type { ToolProvider } from '../contract.js';
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
  log: Log;
}

/** Who works for whom, and who is told of it. */
export interface KitUse {
  employee_id: number;
  worker: Worker;
  asker: { member_id: number; scopes: Caller['scopes'] };
  permit: ToolCallsOptions['permit'];
  reports: ToolReports;
  stopwatch: Stopwatch;
  signal: AbortSignal;
}

/** What an AI employee works with in one run. */
export interface Kit {
  toolbox: Toolbox;
  calls: ToolCalls;
}

/** The tools that it may use now; each call looks again at who may what. */
export async function openKit(source: KitSource, use: KitUse): Promise<Kit> {
  const { providers, log } = source;
  const { employee_id: member_id, worker, asker, signal, ...rest } = use;
  const caller = async () => ({ ...(await source.caller(asker.member_id)), scopes: asker.scopes });
  const context = { employee: { member_id, name: worker.name }, asker: await caller(), signal };
  const toolbox = await Toolbox.open({ providers: providers(), use: context, allowed: worker.tools, log });
  const employee = () => source.worker(member_id);
  return { toolbox, calls: new ToolCalls({ ...rest, toolbox, caller, employee, signal, log }) };
}
