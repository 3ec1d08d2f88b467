import {
  Button,
  Card,
  Code,
  confirm,
  Dialog,
  Empty,
  Facts,
  Failed,
  jsonText,
  LinkButton,
  Loading,
  MemberName,
  Menu,
  Note,
  Page,
  Section,
  Switch,
  Time,
  useFormat,
  useGo,
  useRoute,
  useTexts,
} from '@platform/kit';
import { Table } from '@platform/kit/forms';
import { useState } from 'react';
import type { Run, Schedule } from '../contract.js';
import { api, on } from './api.js';
import { Times } from './preview.js';
import { StatusBadge } from './status.js';
import { catalogue } from './texts/index.js';

const page_size = 50;

/** Shows a schedule with its next times and its history. */
export function ScheduleDetail() {
  const text = useTexts(catalogue);
  const id = Number(useRoute().params.id);
  const { data, error, again } = api.useRead('schedules.get', { id }, { on });
  return (
    <Page
      title={data?.name ?? text.schedule}
      {...(data && { text: <code>{data.action}</code>, actions: <Actions schedule={data} /> })}
      back="/schedules"
    >
      {error && !data ? <Failed error={error} again={again} /> : undefined}
      {!data && !error ? <Loading lines={6} /> : undefined}
      {data ? <Detail schedule={data} /> : undefined}
    </Page>
  );
}

function Actions({ schedule: { id, name } }: { schedule: Schedule }) {
  const text = useTexts(catalogue);
  const go = useGo();
  const run = api.useWrite('schedules.run', { reads: ['schedules.history'], done: text.started });
  const remove = api.useWrite('schedules.delete', { reads: ['schedules.list'], done: text.deleted, after: () => go('/schedules') });
  const end = async () => {
    if (!(await confirm({ title: text.delete(name), text: text.deleteHelp, confirm: text.deleteShort, danger: true, name }))) return;
    await remove.run({ id });
  };
  return (
    <>
      <Button icon="play" isBusy={run.isRunning} onClick={() => void run.run({ id })}>
        {text.runNow}
      </Button>
      <LinkButton icon="edit" to={`/schedules/${id}/edit`}>
        {text.edit}
      </LinkButton>
      <Menu
        label={text.moreActions}
        items={[{ id: 'delete', label: text.deleteShort, icon: 'delete', danger: true, run: () => void end() }]}
      />
    </>
  );
}

function Detail({ schedule }: { schedule: Schedule }) {
  const text = useTexts(catalogue);
  const { id, enabled, disabled_reason, created_by, trigger_value, timezone, params, overlap_policy, retries, timeout_s } = schedule;
  const toggle = api.useWrite('schedules.toggle', { reads: ['schedules.get', 'schedules.list', 'schedules.preview'] });
  const preview = api.useRead('schedules.preview', { id, count: 5 }, { on });
  return (
    <>
      {disabled_reason === null ? undefined : <Note kind="warn">{text.reasons[disabled_reason]}</Note>}
      <Section title={text.when}>
        <Card>
          <Switch label={text.isOn} checked={enabled} disabled={toggle.isRunning} onChange={() => void toggle.run({ id })} />
          <Facts
            items={[
              [text.when, <code key="value">{trigger_value}</code>],
              [text.zone, timezone],
              [text.nextTimes, <Times key="times" times={preview.data?.times} />],
              [text.inNameOf, <MemberName key="by" member_id={created_by} />],
              [text.overlap, text.overlaps[overlap_policy]],
              [text.retries, retries === 0 ? undefined : retries],
              [text.timeLimit, text.seconds(timeout_s)],
            ]}
          />
        </Card>
      </Section>
      {Object.keys(params).length > 0 ? (
        <Section title={text.params}>
          <Code text={jsonText(params)} />
        </Section>
      ) : undefined}
      <History id={id} />
    </>
  );
}

function History({ id }: { id: number }) {
  const text = useTexts(catalogue);
  const format = useFormat();
  const [limit, setLimit] = useState(page_size);
  const [opened, setOpened] = useState<number>();
  const { data, error, again } = api.useRead('schedules.history', { id, limit: Math.min(limit, 200), offset: 0 }, { on, keep: true });
  const shown = data?.items.find((run) => run.id === opened);
  return (
    <Section title={text.history}>
      {error && !data ? <Failed error={error} again={again} /> : undefined}
      {!data && !error ? <Loading lines={4} /> : undefined}
      {data ? (
        <Table<Run>
          label={text.history}
          rows={data.items}
          onOpen={(run) => setOpened(run.id)}
          empty={<Empty icon="clock" title={text.noRuns} />}
          columns={[
            { id: 'planned', label: text.planned, show: ({ scheduled_for }) => <Time iso={scheduled_for} /> },
            { id: 'status', label: text.status, show: ({ status }) => <StatusBadge status={status} /> },
            { id: 'trigger', label: text.startedBy, show: ({ trigger }) => text.triggers[trigger], isExtra: true },
            {
              id: 'took',
              label: text.took,
              show: ({ duration_ms }) => (duration_ms === null ? '–' : format.duration(duration_ms)),
              isNumeric: true,
            },
            {
              id: 'result',
              label: text.result,
              show: (run) => <span className="schedules-result">{summaryOf(run, text)}</span>,
              isExtra: true,
            },
          ]}
        />
      ) : undefined}
      {data && data.total > limit && limit < 200 ? (
        <Button kind="quiet" onClick={() => setLimit(limit + page_size)}>
          {text.more}
        </Button>
      ) : undefined}
      {shown ? <RunDialog run={shown} onClose={() => setOpened(undefined)} /> : undefined}
    </Section>
  );
}

function RunDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const text = useTexts(catalogue);
  const cancel = api.useWrite('schedules.cancel', { reads: ['schedules.history'], done: text.cancelled });
  const isOpen = run.status === 'queued' || run.status === 'running';
  return (
    <Dialog
      title={text.run}
      isOpen
      size="large"
      onClose={onClose}
      actions={
        <>
          {run.session_id === null ? undefined : (
            <LinkButton icon="message" to={`/chat/${run.session_id}`}>
              {text.openSession}
            </LinkButton>
          )}
          {isOpen ? (
            <Button
              kind="danger"
              icon="stop"
              isBusy={cancel.isRunning}
              onClick={() => void cancel.run({ id: run.schedule_id, run_id: run.id })}
            >
              {text.cancelRun}
            </Button>
          ) : undefined}
          <Button onClick={onClose}>{text.close}</Button>
        </>
      }
    >
      <Facts
        items={[
          [text.status, <StatusBadge key="status" status={run.status} />],
          [text.planned, <Time key="planned" iso={run.scheduled_for} />],
          [text.missedUntil, run.missed_until === null ? undefined : <Time key="until" iso={run.missed_until} />],
          [text.missedCount, run.missed_count],
          [text.startedAt, run.attempt === 0 ? undefined : <Time key="start" iso={run.started_at} />],
          [text.endedAt, run.finished_at === null ? undefined : <Time key="end" iso={run.finished_at} />],
          [text.attempt, run.attempt === 0 ? undefined : run.attempt],
          [text.errorCode, run.error_code],
        ]}
      />
      {run.result === '' ? undefined : <Code text={run.result} />}
    </Dialog>
  );
}

function summaryOf({ missed_count, result, error_code }: Run, text: { missed: (count: number) => string }): string {
  if (missed_count !== null) return text.missed(missed_count);
  return result === '' ? (error_code ?? '') : (result.split('\n', 1)[0] as string);
}
