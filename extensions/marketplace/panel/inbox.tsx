import { useState } from 'react';
import {
  type Action,
  ago,
  size as bytesOf,
  type Column,
  type Form,
  FormView,
  Log,
  Records,
  Text,
  useCall,
} from '../../../tui/kit/index.js';
import type { PermissionChange, Review, ReviewDetail } from '../contract.js';
import type { Props } from '../panel.js';

const page_size = 100;

/** Lists published versions, newest first, for administrators to approve or reject. */
export function Inbox({ client, size, clock }: Props) {
  const read = (signal: AbortSignal) => client.marketplace.reviews({ limit: page_size, offset: 0 }, { signal });
  const list = useCall(read, [client], { every_ms: 10_000, on: ['notification', 'extension.changed'] });
  const [form, setForm] = useState<Form>();
  if (form) return <FormView form={form} close={() => setForm(undefined)} again={list.again} />;
  const columns: Column<Review>[] = [
    { title: 'id', value: ({ id }) => id },
    { title: 'version', value: ({ version }) => version },
    { title: 'type', value: ({ type }) => type },
    { title: 'status', value: ({ status }) => status.replaceAll('_', ' '), colour: ({ status }) => colours[status] },
    { title: 'by', value: ({ publisher, source }) => publisher?.username ?? source },
    { title: 'when', value: ({ created_at }) => ago(created_at, clock()) },
    { title: 'about', value: ({ description }) => description, grow: true },
  ];
  return (
    <Records
      rows={list.value?.items}
      error={list.error}
      columns={columns}
      idOf={({ id, version }) => `${id} ${version}`}
      height={size.rows}
      details={(review) => <Details client={client} review={review} />}
      actions={actionsOf(client, setForm, list.again)}
      empty="Nothing has been published yet"
    />
  );
}

const colours = { under_review: 'warn', approved: 'good', rejected: 'bad', yanked: 'bad' } as const;

function actionsOf(client: Props['client'], setForm: (form: Form) => void, again: () => void): Action<Review>[] {
  return [
    {
      key: 'a',
      label: 'approve',
      when: ({ status }) => status === 'under_review',
      confirm: ({ id, version }) => `Approve ${id} ${version}? It can then be installed.`,
      // Approve the reviewed content, not what may have been published under the number since.
      run: async ({ id, version, content_hash }) => {
        await client.marketplace.approve({ id, version, content_hash });
        again();
      },
    },
    { key: 'x', label: 'reject', when: ({ status }) => status === 'under_review', run: (row) => setForm(rejection(client, row)) },
    { key: 'w', label: 'withdraw', when: ({ status }) => status === 'approved', run: (row) => setForm(withdrawal(client, row)) },
  ];
}

function rejection(client: Props['client'], { id, version }: Review): Form {
  return {
    title: `Reject ${id} ${version}`,
    done: 'Rejected',
    fields: [{ name: 'reason', label: 'Reason' }],
    send: ({ reason = '' }) => client.marketplace.reject({ id, version, reason }),
  };
}

function withdrawal(client: Props['client'], { id, version }: Review): Form {
  return {
    title: `Withdraw ${id} ${version}; installations stay`,
    done: 'Withdrawn',
    fields: [{ name: 'reason', label: 'Reason' }],
    send: ({ reason = '' }) => client.marketplace.yank({ id, version, reason }),
  };
}

function Details({ client, review: { id, version } }: { client: Props['client']; review: Review }) {
  const found = useCall((signal) => client.marketplace.review({ id, version }, { signal }), [client, id, version]);
  if (found.value === undefined) return <Text kind={found.error ? 'bad' : 'dim'}>{found.error?.message ?? 'Loading …'}</Text>;
  return <Log lines={linesOf(found.value)} follow={false} wrap />;
}

function linesOf(review: ReviewDetail): string[] {
  const { id, version, description, checks, compared_with, permissions, signature_change, signed_by, files, readme, contributes } = review;
  const change = (sign: string) => (one: PermissionChange) => `  ${sign} ${one.permission}: ${one.value}`;
  const changes = [...permissions.added.map(change('+')), ...permissions.removed.map(change('-'))];
  return [
    `${id} ${version}: ${description}`,
    `Status: ${review.status.replaceAll('_', ' ')}${review.reason ? ` (${review.reason})` : ''}`,
    `Signature: ${review.signature === null ? 'none' : `trusted as ${signed_by ?? 'nobody'}`}, change: ${signature_change}`,
    `Permissions${compared_with === null ? '' : `, compared with ${compared_with}`}:`,
    ...(changes.length > 0 ? changes : ['  unchanged']),
    'Checks:',
    ...checks.map(({ code, ok, message }) => `  ${ok ? 'ok ' : 'red'} ${code}: ${message}`),
    'Operations:',
    ...contributes.operations.map((id) => `  ${id}${contributes.for_members.includes(id) ? ' (same answer for every member)' : ''}`),
    'Files:',
    ...files.map(({ name, bytes }) => `  ${name} ${bytesOf(bytes)}`),
    '',
    ...readme.split('\n'),
  ];
}
