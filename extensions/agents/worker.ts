import type { VirtualMember } from '../members/contract.js';
import type { Persona } from './context.js';
import type { RunLimits } from './limits.js';
import type { Thinker } from './summaries.js';

/** What a run must know of the AI employee that works. */
export interface Worker extends Persona {
  /** Undefined where none is configured. */
  model: Thinker | undefined;
  /** Names or titles of the tools that it may use. */
  tools: 'all' | readonly string[];
  limits: RunLimits;
}

const limits: RunLimits = { steps: 50, tokens: 1_000_000, seconds: 1_800 };

export function workerOf(employee: VirtualMember | undefined, model: Thinker | undefined): Worker | undefined {
  return employee && { ...employee, instructions: '', tools: 'all', limits, model };
}
