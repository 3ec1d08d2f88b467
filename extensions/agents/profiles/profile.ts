import type { VirtualMember } from '../../members/contract.js';
import type { EmployeeSettings, Limits, ModelEndpoint } from '../contract.js';
import type { ModelChain } from '../model/models.js';
import type { WaitLimits } from '../settings.js';

/** Model endpoint as stored. */
export interface StoredEndpoint {
  base_url: string;
  model: string;
  /** Sealed; empty if there is none. */
  api_key: string;
  features: ModelEndpoint['features'];
  max_tokens: number;
  price: ModelEndpoint['price'];
}

type PublicSettings = Omit<
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

/** Stored settings of an AI employee, besides its member record. */
export interface StoredSettings extends PublicSettings {
  model: StoredEndpoint | null;
  fallback_models: StoredEndpoint[];
}

/** Everything a run needs to know about an AI employee. */
export interface Profile extends Omit<StoredSettings, 'model' | 'fallback_models'>, Pick<VirtualMember, 'name' | 'post' | 'mode'> {
  member_id: number;
  remote_node_id: number | null;
  /** Models to ask; undefined if none is configured: then the offline responder answers. */
  models: ModelChain | undefined;
}

/** Returns the default limits. */
function defaultLimits(waits: WaitLimits): Limits {
  return { steps: 50, tokens: 1_000_000, tokens_per_day: 0, ...waits };
}

/** Returns the default settings of an AI employee. */
export function defaultSettings(waits: WaitLimits): StoredSettings {
  return {
    instructions: '',
    model: null,
    fallback_models: [],
    fallback_node_ids: [],
    skills: 'all',
    tools: 'all',
    node_users: 'admins',
    oversight: false,
    limits: defaultLimits(waits),
  };
}
