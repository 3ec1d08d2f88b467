import type { Client } from '../../kernel/client/connect.js';
import type { AuditQuery, SystemApi } from '../../kernel/contract/system.js';
import type { Form } from '../kit/form.js';

/** Which rows of the trail are shown. */
export type Filter = Omit<AuditQuery, 'before' | 'limit'>;

export const everything: Filter = {};

const words: Readonly<Record<keyof Filter, string>> = {
  member_id: 'member',
  operation: 'operation',
  target: 'about',
  outcome: 'outcome',
  from: 'from',
  to: 'before',
};

const names = Object.keys(words) as (keyof Filter)[];

/** What is looked for, in a few words; empty where it is everything. */
export function filterText(filter: Filter): string {
  return names
    .filter((name) => filter[name] !== undefined)
    .map((name) => `${words[name]} ${filter[name]}`)
    .join(', ');
}

/** Asks what is looked for. It is tried first, so that what is wrong stands below its field. */
export function filterForm(client: Client<SystemApi>, filter: Filter, set: (filter: Filter) => void): Form {
  const value = (name: keyof Filter) => ({ name, value: String(filter[name] ?? '') });
  return {
    title: 'Who did what: what is left empty matches all',
    fields: [
      { ...value('member_id'), label: 'Member (id)' },
      { ...value('operation'), label: 'Operation, as members.create' },
      { ...value('target'), label: 'About (id of a record)' },
      { ...value('outcome'), label: 'Outcome: success, refused, or a code' },
      { ...value('from'), label: 'From (2026-11-22, or with T20:30)' },
      { ...value('to'), label: 'Before' },
    ],
    send: async (typed) => {
      const given = Object.entries(typed).map(([name, text]) => [name, text.trim()] as const);
      const wanted: Filter = Object.fromEntries(
        given.filter(([, text]) => text !== '').map(([name, text]) => [name, typedValue(name, text)]),
      );
      await client.audit.list({ ...wanted, limit: 1 });
      set(wanted);
    },
  };
}

/** What is no number is sent as it is: the operation says what is wrong with it. */
function typedValue(name: string, text: string): string | number {
  return name === 'member_id' && /^\d+$/.test(text) ? Number(text) : text;
}
