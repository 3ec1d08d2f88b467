import { Card, Facts, Failed, Loading, Page, Section, useFormat, useTexts } from '@platform/kit';
import { LineChart } from '@platform/kit/charts';
import { Select, Table } from '@platform/kit/forms';
import { useState } from 'react';
import type { UsageReport, UsageSummary } from '../contract.js';
import { api, on } from './api.js';
import { catalogue } from './texts/index.js';

const day_ms = 86_400_000;

/** Shows what all AI employees have used: over time, by employee, by member, by room and by model. */
export function UsagePage() {
  const text = useTexts(catalogue);
  const [days, setDays] = useState('30');
  const from = new Date(Date.now() - (Number(days) - 1) * day_ms).toISOString().slice(0, 10);
  const { data, error, again } = api.useRead('agents.usage_summary', { from }, { keep: true });
  return (
    <Page
      title={text.usage}
      back="/employees"
      actions={
        <Select
          label={text.period}
          hidesLabel
          options={['7', '30', '90'].map((id) => ({ id, label: text.lastDays(Number(id)) }))}
          value={days}
          onChange={setDays}
        />
      }
    >
      {error && !data ? <Failed error={error} again={again} /> : undefined}
      {!data && !error ? <Loading lines={8} /> : undefined}
      {data ? <Summary summary={data} /> : undefined}
    </Page>
  );
}

function Summary({ summary }: { summary: UsageSummary }) {
  const text = useTexts(catalogue);
  const { employees, members, rooms, models } = summary;
  return (
    <>
      <Totals used={summary} />
      <Days used={summary} />
      <By
        title={text.byEmployee}
        rows={employees.map(({ member_id, name, ...used }) => ({ id: String(member_id), name: name ?? text.goneEmployee, ...used }))}
      />
      <By
        title={text.byMember}
        rows={members.map(({ requested_by, name, ...used }) => ({ id: String(requested_by), name: name ?? text.unknown, ...used }))}
      />
      <By
        title={text.byRoom}
        rows={rooms.map(({ session_id, title, ...used }) => ({
          id: String(session_id),
          name: session_id === null ? text.noRoom : (title ?? text.privateRoom),
          ...used,
        }))}
      />
      <By title={text.byModel} rows={models.map(({ model, ...used }) => ({ id: model, name: model, ...used }))} />
    </>
  );
}

/** Shows what one AI employee has used in 30 days. */
export function EmployeeUsage({ member_id }: { member_id: number }) {
  const text = useTexts(catalogue);
  const { data, error, again } = api.useRead('agents.usage', { member_id }, { on });
  return (
    <Section title={text.usage} text={text.lastDays(30)}>
      {error && !data ? <Failed error={error} again={again} /> : undefined}
      {!data && !error ? <Loading lines={4} /> : undefined}
      {data ? (
        <>
          <Totals used={data} />
          <Days used={data} />
        </>
      ) : undefined}
    </Section>
  );
}

type Used = Pick<UsageReport, 'input_tokens' | 'output_tokens' | 'calls' | 'replies' | 'costs'>;

function Totals({ used }: { used: Used }) {
  const text = useTexts(catalogue);
  const format = useFormat();
  return (
    <Card>
      <Facts
        items={[
          [text.tokensIn, format.number(used.input_tokens)],
          [text.tokensOut, format.number(used.output_tokens)],
          [text.replies, format.number(used.replies)],
          [text.cost, used.costs.length === 0 ? undefined : <Costs key="costs" costs={used.costs} />],
        ]}
      />
    </Card>
  );
}

function Costs({ costs }: { costs: Used['costs'] }) {
  const format = useFormat();
  return <>{format.list(costs.map(({ amount, currency }) => format.number(amount, { style: 'currency', currency })))}</>;
}

function Days({ used: { from, to, days } }: { used: Pick<UsageReport, 'from' | 'to' | 'days'> }) {
  const text = useTexts(catalogue);
  const byDay = new Map(days.map((day) => [day.day, day]));
  const all = daysBetween(from, to);
  const points = (key: 'input_tokens' | 'output_tokens') => all.map((day) => [Date.parse(day), byDay.get(day)?.[key] ?? 0] as const);
  return (
    <LineChart
      label={text.tokensADay}
      series={[
        { label: text.tokensIn, points: points('input_tokens') },
        { label: text.tokensOut, points: points('output_tokens') },
      ]}
    />
  );
}

function daysBetween(from: string, to: string): string[] {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / day_ms) + 1;
  return Array.from({ length: Math.max(1, count) }, (_, n) => new Date(Date.parse(from) + n * day_ms).toISOString().slice(0, 10));
}

interface Row extends Used {
  id: string;
  name: string;
}

function By({ title, rows }: { title: string; rows: readonly Row[] }) {
  const text = useTexts(catalogue);
  const format = useFormat();
  if (rows.length === 0) return undefined;
  return (
    <Section title={title}>
      <Table<Row>
        label={title}
        rows={rows}
        columns={[
          { id: 'name', label: text.name, show: ({ name }) => name, sortBy: ({ name }) => name },
          {
            id: 'in',
            label: text.tokensIn,
            show: (row) => format.number(row.input_tokens),
            sortBy: (row) => row.input_tokens,
            isNumeric: true,
          },
          {
            id: 'out',
            label: text.tokensOut,
            show: (row) => format.number(row.output_tokens),
            sortBy: (row) => row.output_tokens,
            isNumeric: true,
            isExtra: true,
          },
          {
            id: 'replies',
            label: text.replies,
            show: (row) => format.number(row.replies),
            sortBy: (row) => row.replies,
            isNumeric: true,
            isExtra: true,
          },
          { id: 'cost', label: text.cost, show: (row) => (row.costs.length === 0 ? '–' : <Costs costs={row.costs} />), isNumeric: true },
        ]}
      />
    </Section>
  );
}
