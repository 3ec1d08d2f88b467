import type { Thinker } from '../model/prompt.js';
import type { Workplace } from '../placement.js';
import type { Profile } from '../profiles/profile.js';
import type { Budget } from '../usage/budget.js';
import { MeteredModel } from '../usage/metered.js';
import type { Persona } from './context.js';
import type { RunLimits } from './limits.js';

/** What a run must know of the AI employee that works. */
export interface Worker extends Persona, Workplace {
  /** What it asks for a reply, by the id of that; undefined where no model is configured. */
  model: ((reply_id: string) => Thinker) | undefined;
  /** Names or titles of the tools that it may use. */
  tools: 'all' | readonly string[];
  limits: RunLimits;
}

/** An AI employee as one that works within its budget. */
export function workerOf(profile: Profile | undefined, budget: Budget): Worker | undefined {
  if (!profile) return undefined;
  const { models, limits } = profile;
  const waits = { first_byte_ms: limits.first_byte_seconds * 1_000, idle_ms: limits.idle_seconds * 1_000 };
  const meter = { budget, spender: profile, tokens_per_day: limits.tokens_per_day, waits };
  return { ...profile, model: models && ((reply_id) => new MeteredModel(models, { ...meter, reply_id })) };
}
