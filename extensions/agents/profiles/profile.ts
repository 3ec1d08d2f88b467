import type { VirtualMember } from '../../members/contract.js';
import type { EmployeeSettings, Limits, ModelEndpoint } from '../contract.js';
import type { ModelChain } from '../model/models.js';
import type { WaitLimits } from '../settings.js';

/** Where a model is asked, as it is kept. */
export interface KeptEndpoint {
  base_url: string;
  model: string;
  /** Sealed; empty where there is none. */
  api_key: string;
  features: ModelEndpoint['features'];
  max_tokens: number;
}

type Shown = Omit<
  EmployeeSettings,
  | 'member_id'
  | 'name'
  | 'post'
  | 'mode'
  | 'status'
  | 'model'
  | 'fallback_models'
  | 'model_habits'
  | 'missing_skills'
  | 'missing_tools'
  | 'budget'
  | 'updated_at'
>;

/** What is kept of an AI employee beside its record as a member. */
export interface KeptSettings extends Shown {
  model: KeptEndpoint | null;
  fallback_models: KeptEndpoint[];
}

/** All that a run of an AI employee needs to know of it. */
export interface Profile extends Omit<KeptSettings, 'model' | 'fallback_models'>, Pick<VirtualMember, 'name' | 'post' | 'mode'> {
  member_id: number;
  remote_node_id: number | null;
  /** What it asks; undefined where no model is configured: then the offline responder answers. */
  models: ModelChain | undefined;
}

/** Returns the limits of an AI employee that has none of its own. */
function usualLimits(waits: WaitLimits): Limits {
  return { steps: 50, tokens: 1_000_000, tokens_per_day: 0, ...waits };
}

/** How every AI employee is at first. */
export function usualSettings(waits: WaitLimits): KeptSettings {
  return {
    instructions: '',
    model: null,
    fallback_models: [],
    fallback_node_ids: [],
    skills: 'all',
    tools: 'all',
    node_users: 'admins',
    oversight: false,
    limits: usualLimits(waits),
  };
}
