import { Box } from 'ink';
import { useState } from 'react';
import { harmlessJson } from '../../kernel/client/terminal-text.js';
import { fail } from '../../kernel/contract/failure.js';
import type { AuditRecord, SystemApi } from '../../kernel/contract/system.js';
import type { Column } from '../kit/columns.js';
import { type Form, FormView } from '../kit/form.js';
import { ago } from '../kit/formats.js';
import { Log } from '../kit/log.js';
import type { Panel, PanelProps } from '../kit/panel.js';
import { type Action, Records } from '../kit/records.js';
import { Text } from '../kit/text.js';
import { useCall } from '../kit/use-call.js';
import { useKeys } from '../kit/use-keys.js';
import { useOpened } from '../kit/use-opened.js';
import { useViewState } from '../kit/use-view-state.js';
import { everything, type Filter, filterForm, filterText } from './filter.js';

const label_columns = 10;

function callerOf({ member_id, username }: AuditRecord): string {
  if (member_id !== 0) return `${username} (${member_id})`;
  return username === '' ? 'unknown caller' : `unknown caller, as ${username}`;
}

/** Shows all fields of a row, its input last. */
function Details({ row, now }: { row: AuditRecord; now: number }) {
  const fields: [string, string | number][] = [
    ['When', `${row.at} (${ago(row.at, now)})`],
    ['Who', callerOf(row)],
    ['Operation', row.operation],
    ['Target', row.target || '-'],
    ['Outcome', row.outcome],
    ['Times', row.times === 1 ? '1' : `${row.times}, the last at ${row.last_at}`],
    ['Door', row.via === '' ? row.door : `${row.door} (${row.via})`],
    ['Address', row.address || '-'],
    ['Request', row.request_id],
  ];
  const lines = fields.map(([label, value]) => `${label.padEnd(label_columns)}  ${value}`);
  const input = harmlessJson(JSON.stringify(row.input, null, 2)).split('\n');
  return <Log lines={[...lines, '', 'Input', ...input]} follow={false} wrap />;
}

const page_rows = 100;
const every_ms = 5_000;

const columns: Column<AuditRecord>[] = [
  { title: 'when', value: ({ at }) => at.slice(0, 16).replace('T', ' '), width: 16, colour: () => 'dim' },
  { title: 'who', value: ({ username }) => username || '-' },
  { title: 'operation', value: ({ operation }) => operation },
  { title: 'target', value: ({ target }) => target, grow: true },
  { title: 'outcome', value: ({ outcome }) => outcome, colour: ({ outcome }) => (outcome === 'success' ? 'good' : 'bad') },
  { title: 'times', value: ({ times }) => times, align: 'right' },
  { title: 'door', value: ({ door }) => door },
];

/** Shows the audit trail by page: what members did, and what was refused. */
function View({ client, focused, size, clock, opened }: PanelProps<SystemApi>) {
  const [filter, setFilter] = useViewState<Filter>('audit.filter', everything);
  /** Last row ids of the previous pages. */
  const [passed, setPassed] = useState<readonly number[]>([]);
  const [form, setForm] = useState<Form>();
  const before = passed.at(-1);
  const page = { limit: page_rows, ...(before === undefined ? {} : { before }) };
  const list = useCall(
    (signal) => client.audit.list({ ...filter, ...page }, { signal }),
    [client, filter, before],
    before === undefined ? { every_ms } : {},
  );
  const opening = useOpened(
    opened,
    async ({ id }) => {
      // `before` is exclusive.
      const [row] = await client.audit.list({ before: Number(id) + 1, limit: 1 });
      if (row?.id !== Number(id)) throw fail('invalid_input', `There is no audit record ${id}`);
      return row;
    },
    () => setForm(undefined),
  );
  const applyFilter = (wanted: Filter) => {
    setPassed([]);
    setFilter(wanted);
  };
  const last = list.value?.length === page_rows ? list.value.at(-1)?.id : undefined;
  const isFiltered = filterText(filter) !== '';
  const isListening = focused && form === undefined;
  useKeys([{ key: 'f', label: 'search', run: () => setForm(filterForm(client, filter, applyFilter)) }], isListening);
  useKeys([{ key: 'c', label: 'clear search', run: () => applyFilter(everything) }], isListening && isFiltered);
  useKeys([{ key: 'o', label: 'older', run: () => setPassed([...passed, last as number]) }], isListening && last !== undefined);
  useKeys([{ key: 'n', label: 'newer', run: () => setPassed(passed.slice(0, -1)) }], isListening && before !== undefined);
  return (
    <Box flexDirection="column">
      <Text kind="dim">{`${isFiltered ? filterText(filter) : 'all operations, done and refused'}, page ${passed.length + 1}`}</Text>
      {form ? (
        <FormView form={form} close={() => setForm(undefined)} />
      ) : (
        <Records
          rows={list.value}
          error={list.error}
          columns={columns}
          idOf={({ id }) => id}
          height={size.rows - 1}
          opening={opening}
          follow
          details={(row) => <Details row={row} now={clock()} />}
          actions={actionsOf(filter, applyFilter)}
          empty={isFiltered ? 'No matching records' : 'No records yet'}
        />
      )}
    </Box>
  );
}

function actionsOf(filter: Filter, applyFilter: (filter: Filter) => void): Action<AuditRecord>[] {
  const unchanging = { changes: false };
  return [
    { ...unchanging, key: 'w', label: 'by this member', run: ({ member_id }) => applyFilter({ ...filter, member_id }) },
    { ...unchanging, key: 't', label: 'this operation', run: ({ operation }) => applyFilter({ ...filter, operation }) },
  ];
}

export default { title: 'Audit', order: 95, opens: ['audit'], View } satisfies Panel<SystemApi>;
