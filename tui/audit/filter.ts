import type { Client } from '../../kernel/client/connect.js';
import type { AuditQuery, SystemApi } from '../../kernel/contract/system.js';
import type { Form } from '../kit/form.js';

/** Conditions for the rows of the audit trail. */
export type Filter = Omit<AuditQuery, 'before' | 'limit'>;

export const everything: Filter = {};

const words: Readonly<Record<keyof Filter, string>> = {
  member_id: 'member',
  operation: 'operation',
  target: 'target',
  outcome: 'outcome',
  from: 'from',
  to: 'before',
};

const names = Object.keys(words) as (keyof Filter)[];

/** Describes a filter in a few words; empty if it matches everything. */
export function filterText(filter: Filter): string {
  return names
    .filter((name) => filter[name] !== undefined)
    .map((name) => `${words[name]} ${filter[name]}`)
    .join(', ');
}

/** Returns the form for a filter. Submitting runs the query once, so that faults appear below their fields. */
export function filterForm(client: Client<SystemApi>, filter: Filter, set: (filter: Filter) => void): Form {
  const value = (name: keyof Filter) => ({ name, value: String(filter[name] ?? '') });
  return {
    title: 'Filter the audit trail: empty fields match everything',
    fields: [
      { ...value('member_id'), label: 'Member (id)' },
      { ...value('operation'), label: 'Operation, as members.create' },
      { ...value('target'), label: 'Target (id of a record)' },
      { ...value('outcome'), label: 'Outcome: success, refused, or a code' },
      { ...value('from'), label: 'From (2026-11-22, or with T20:30)' },
      { ...value('to'), label: 'Before' },
    ],
    send: async (typed) => {
      const trimmed = Object.entries(typed).map(([name, text]) => [name, text.trim()] as const);
      const wanted: Filter = Object.fromEntries(
        trimmed.filter(([, text]) => text !== '').map(([name, text]) => [name, typedValue(name, text)]),
      );
      await client.audit.list({ ...wanted, limit: 1 });
      set(wanted);
    },
  };
}

/** Converts a member id to a number. Other text is sent as it is: the operation reports the fault. */
function typedValue(name: string, text: string): string | number {
  return name === 'member_id' && /^\d+$/.test(text) ? Number(text) : text;
}
