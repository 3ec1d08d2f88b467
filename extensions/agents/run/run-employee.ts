import type { ModelAnswerer } from '../model/prompt.js';
import type { NodeAssignment } from '../placement.js';
import type { Profile } from '../profiles/profile.js';
import type { Budget } from '../usage/budget.js';
import { MeteredModel } from '../usage/metered.js';
import type { Persona } from './context.js';
import type { RunLimits } from './limits.js';

/** Reply whose tokens are counted. */
export interface MeteredReply {
  reply_id: string;
  /** Member for whom it is written. */
  requested_by: number;
  /** Session of the room in which it is written; null outside of rooms. */
  room_id: string | null;
}

/** AI employee as a run needs it. */
export interface RunEmployee extends Persona, NodeAssignment {
  /** Returns the model for a reply; undefined if none is configured. */
  model: ((reply: MeteredReply) => ModelAnswerer) | undefined;
  /** Names or titles of the tools that it may use. */
  tools: 'all' | readonly string[];
  limits: RunLimits;
}

/** Prepares an AI employee for a run within its budget. */
export function runEmployeeOf(profile: Profile | undefined, budget: Budget): RunEmployee | undefined {
  if (!profile) return undefined;
  const { models, limits } = profile;
  const waits = { first_byte_ms: limits.first_byte_seconds * 1_000, idle_ms: limits.idle_seconds * 1_000 };
  const { member_id, name } = profile;
  const meter = { budget, tokens_per_day: limits.tokens_per_day, waits };
  const metered = ({ reply_id, ...source }: MeteredReply) => ({ ...meter, reply_id, spender: { member_id, name, ...source } });
  return { ...profile, model: models && ((reply) => new MeteredModel(models, metered(reply))) };
}
