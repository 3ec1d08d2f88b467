import type { SettingRow } from '../../../kernel/contract/system.js';

/** Setup steps of a new installation, in order. */
export const first_steps = ['password', 'model', 'employee', 'colleague', 'base_url', 'backup'] as const;
export type FirstStep = (typeof first_steps)[number];

/** State of an installation, as far as the steps depend on it. */
export interface Installation {
  /** Whether the administrator still has the password that the first start generated. */
  first_password: boolean;
  settings: readonly Pick<SettingRow, 'key' | 'value'>[];
  /** The AI employees; `model` is null for those that use the platform's. */
  employees: readonly { readonly model: object | null }[];
  /** Number of people. */
  people: number;
  backups: number;
}

/** Returns which steps are done. A model counts for all AI employees if it is set, or for one that has its own. */
export function stepsDone({ first_password, settings, employees, people, backups }: Installation): Readonly<Record<FirstStep, boolean>> {
  const isSet = (key: string) => settings.some((row) => row.key === key && row.value !== '' && row.value !== null);
  return {
    password: !first_password,
    model: isSet('agents.model.base_url') || employees.some(({ model }) => model !== null),
    employee: employees.length > 0,
    colleague: people > 1,
    base_url: isSet('base_url'),
    backup: backups > 0,
  };
}
