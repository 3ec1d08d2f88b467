import {
  Badge,
  Button,
  Code,
  Dialog,
  Empty,
  Facts,
  Failed,
  jsonText,
  Loading,
  MemberName,
  saveBlob,
  TextField,
  Time,
  useFailureTitle,
  useKept,
  useTexts,
} from '@platform/kit';
import { DateTimeField, Select, Table } from '@platform/kit/forms';
import { useDeferredValue, useState } from 'react';
import type { AuditQuery, AuditRecord } from '../../../kernel/contract/system.js';
import { api } from './api.js';
import { catalogue } from './texts/index.js';

const page_size = 100;
/** Limit of the records in one file; more are exported by the command line. */
const max_exported = 10_000;

interface Filter {
  member: { id: number; name: string } | null;
  operation: string;
  target: string;
  outcome: '' | 'success' | 'refused';
  from: string | null;
  to: string | null;
}

const everything: Filter = { member: null, operation: '', target: '', outcome: '', from: null, to: null };

/** Shows who has done what, with a filter and as a file. */
export function Audit() {
  const text = useTexts(catalogue);
  const [filter, setFilter] = useKept('system.audit.filter', everything);
  const [cursors, setCursors] = useState<readonly number[]>([]);
  const [opened, setOpened] = useState<AuditRecord>();
  const asked = useDeferredValue(filter);
  const before = cursors.at(-1);
  const query = { ...queryOf(asked), limit: page_size, ...(before !== undefined && { before }) };
  const { data, error, again } = api.useRead('audit.list', query, { keep: true });
  const change = (part: Partial<Filter>) => {
    setFilter({ ...filter, ...part });
    setCursors([]);
  };
  return (
    <>
      <div className="system-filter">
        <TextField
          label={text.operation}
          value={filter.operation}
          onChange={(operation) => change({ operation })}
          placeholder="members.create"
        />
        <TextField label={text.target} value={filter.target} onChange={(target) => change({ target })} />
        <Select
          label={text.outcome}
          options={[
            { id: '', label: text.anyOutcome },
            { id: 'success', label: text.success },
            { id: 'refused', label: text.refused },
          ]}
          value={filter.outcome}
          onChange={(outcome) => change({ outcome: outcome as Filter['outcome'] })}
        />
        <DateTimeField label={text.from} value={filter.from} onChange={(from) => change({ from })} />
        <DateTimeField label={text.to} value={filter.to} onChange={(to) => change({ to })} />
        {filter.member ? (
          <Button icon="close" onClick={() => change({ member: null })}>
            {text.onlyBy(filter.member.name)}
          </Button>
        ) : undefined}
        <Export filter={filter} />
      </div>
      {error && !data ? <Failed error={error} again={again} /> : undefined}
      {!data && !error ? <Loading lines={10} /> : undefined}
      {data ? (
        <Table<AuditRecord>
          label={text.parts.audit}
          rows={data}
          onOpen={setOpened}
          empty={<Empty icon="audit" title={text.noRecords} />}
          columns={[
            { id: 'at', label: text.at, show: ({ at }) => <Time iso={at} /> },
            { id: 'who', label: text.who, show: (record) => <Who record={record} /> },
            { id: 'operation', label: text.operation, show: ({ operation }) => <code>{operation}</code> },
            { id: 'target', label: text.target, show: ({ target }) => target, isExtra: true },
            {
              id: 'outcome',
              label: text.outcome,
              show: ({ outcome, times }) => (
                <>
                  <Outcome code={outcome} /> {times > 1 ? `× ${times}` : undefined}
                </>
              ),
            },
          ]}
        />
      ) : undefined}
      <div className="system-pages">
        <Button kind="quiet" icon="left" disabled={cursors.length === 0} onClick={() => setCursors(cursors.slice(0, -1))}>
          {text.newer}
        </Button>
        <Button
          kind="quiet"
          icon="right"
          disabled={(data?.length ?? 0) < page_size}
          onClick={() => setCursors([...cursors, data?.at(-1)?.id ?? 0])}
        >
          {text.older}
        </Button>
      </div>
      {opened ? (
        <RecordDialog
          record={opened}
          onClose={() => setOpened(undefined)}
          narrow={(part) => {
            change(part);
            setOpened(undefined);
          }}
        />
      ) : undefined}
    </>
  );
}

function Who({ record: { member_id, username } }: { record: AuditRecord }) {
  const text = useTexts(catalogue);
  if (member_id > 0) return <MemberName member_id={member_id} name={username} />;
  return <span>{username === '' ? text.unknown : username}</span>;
}

/** Shows an outcome in words: success, or the headline of the failure. */
function Outcome({ code }: { code: string }) {
  const text = useTexts(catalogue);
  const title = useFailureTitle(code);
  return code === 'success' ? <Badge kind="ok">{text.success}</Badge> : <Badge kind="warn">{title}</Badge>;
}

interface RecordDialogProps {
  record: AuditRecord;
  onClose: () => void;
  /** Shows only records like this one. */
  narrow: (filter: Partial<Filter>) => void;
}

function RecordDialog({ record, onClose, narrow }: RecordDialogProps) {
  const text = useTexts(catalogue);
  const { member_id, username, operation } = record;
  const actions = (
    <>
      {member_id > 0 ? (
        <Button onClick={() => narrow({ member: { id: member_id, name: username } })}>{text.onlyBy(username)}</Button>
      ) : undefined}
      <Button onClick={() => narrow({ operation })}>{text.onlyThisOperation}</Button>
      <Button onClick={onClose}>{text.close}</Button>
    </>
  );
  return (
    <Dialog title={operation} isOpen size="large" onClose={onClose} actions={actions}>
      <Facts
        items={[
          [text.at, <Time key="at" iso={record.at} />],
          [text.who, <Who key="who" record={record} />],
          [text.target, record.target || undefined],
          [text.outcome, <Outcome key="outcome" code={record.outcome} />],
          [text.code, record.outcome === 'success' ? undefined : <code key="code">{record.outcome}</code>],
          [text.times, record.times > 1 ? record.times : undefined],
          [text.door, record.door],
          [text.via, record.via || undefined],
          [text.address, record.address || undefined],
          [text.request, <code key="request">{record.request_id}</code>],
        ]}
      />
      <Code text={jsonText(record.input)} />
    </Dialog>
  );
}

/** Saves the filtered records as JSON lines. */
function Export({ filter }: { filter: Filter }) {
  const text = useTexts(catalogue);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const save = async () => {
    setBusy(true);
    setFault(undefined);
    try {
      const lines: string[] = [];
      let before: number | undefined;
      for (let got = 200; got === 200 && lines.length < max_exported; ) {
        const page = await api.call('audit.list', { ...queryOf(filter), limit: 200, ...(before !== undefined && { before }) });
        lines.push(...page.map((record) => JSON.stringify(record)));
        before = page.at(-1)?.id;
        got = page.length;
      }
      saveBlob(new Blob([`${lines.join('\n')}\n`], { type: 'application/jsonl' }), 'audit.jsonl');
    } catch (error) {
      setFault(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button icon="download" isBusy={isBusy} onClick={() => void save()}>
        {text.exportRecords}
      </Button>
      {fault === undefined ? undefined : <Failed error={fault} />}
    </>
  );
}

function queryOf({ member, operation, target, outcome, from, to }: Filter): Omit<AuditQuery, 'limit'> {
  return {
    ...(member && { member_id: member.id }),
    ...(operation.trim() !== '' && { operation: operation.trim() }),
    ...(target.trim() !== '' && { target: target.trim() }),
    ...(outcome !== '' && { outcome }),
    ...(from !== null && { from }),
    ...(to !== null && { to }),
  };
}
