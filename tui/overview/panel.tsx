import { Box } from 'ink';
import { useEffect } from 'react';
import type { CheckRecord, StatusRecord, SystemApi } from '../../kernel/contract/system.js';
import { fit, oneLine } from '../kit/cells.js';
import { useSpace } from '../kit/context.js';
import { duration, number, percent } from '../kit/formats.js';
import type { Panel, PanelProps } from '../kit/panel.js';
import { sparkline } from '../kit/sparkline.js';
import { type Kind, Text } from '../kit/text.js';
import { useCall } from '../kit/use-call.js';
import { useScroll } from '../kit/use-scroll.js';
import { useViewState } from '../kit/use-view-state.js';

const status_ms = 2_000;
const checks_ms = 30_000;
const label_columns = 14;
const value_columns = 36;

/** Shows the state of the installation at a glance. */
function View({ client, size, focused }: PanelProps<SystemApi>) {
  const status = useCall((signal) => client.status.get({}, { signal }), [client], { every_ms: status_ms });
  const checks = useCall((signal) => client.checks.list({}, { signal }), [client], { every_ms: checks_ms, on: ['extension.changed'] });
  const [history, setHistory] = useViewState('overview.history', noHistory);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each reading is added once
  useEffect(() => {
    if (status.value) setHistory(withReading(history, status.value));
  }, [status.value]);
  const { value, error } = status;
  const lines = [
    ...(value ? gauges(value, history) : []),
    ...(checks.value ? checksOf(checks.value) : []),
    ...(value ? figuresOf(value) : []),
  ];
  return (
    <Box flexDirection="column" height={size.rows} overflow="hidden">
      {error && <Text kind="bad">{`${error.message} (${error.code})`}</Text>}
      {!error && !value && <Text kind="dim">Loading …</Text>}
      <Lines lines={lines} height={size.rows - (error ? 1 : 0)} focused={focused} />
    </Box>
  );
}

function gauges(status: StatusRecord, history: History): LineProps[] {
  const { http, event_loop_delay_ms: delay, memory_mb: memory, extensions } = status;
  return [
    { label: 'Server', value: `${status.version}, Node ${status.node_version}, ${status.database}, process ${status.pid}` },
    { label: 'Up', value: `${duration(status.uptime_s * 1_000)}, since ${status.started_at}` },
    ...(http ? traffic(http, history) : []),
    { label: 'Event loop', value: delay ? `${number(delay.p50)} ms late, 99 %: ${number(delay.p99)} ms` : '-', over: history.delay },
    { label: 'Processor', value: percent(status.cpu_percent), over: history.cpu, max: 100 },
    {
      label: 'Memory',
      value: `${number(memory.rss)} MB, heap ${number(memory.heap_used)} of ${number(memory.heap_total)}`,
      over: history.memory,
    },
    { label: 'Seats', value: seatsOf(status), kind: isFull(status) ? 'warn' : undefined },
    { label: 'Extensions', value: extensionsOf(status), kind: extensions.failed.length > 0 ? 'bad' : undefined },
  ];
}

function traffic(http: NonNullable<StatusRecord['http']>, history: History): LineProps[] {
  const { errors_per_minute } = http;
  return [
    { label: 'Requests', value: `${number(http.requests_per_second)} a second, ${number(http.requests)} in all`, over: history.requests },
    {
      label: 'Errors',
      value: `${number(errors_per_minute)} a minute, ${number(http.errors)} in all`,
      over: history.errors,
      kind: errors_per_minute > 0 ? 'bad' : undefined,
    },
    { label: 'Open', value: `streams: ${number(http.streams)}, sockets: ${number(http.sockets)}` },
  ];
}

interface LinesProps {
  lines: readonly LineProps[];
  height: number;
  focused: boolean;
}

/** Shows the lines that fit; the others can be scrolled to, and the last line counts them. */
function Lines({ lines, height, focused }: LinesProps) {
  const room = Math.max(1, lines.length > height ? height - 1 : height);
  const top = useScroll({ count: lines.length, room, follow: false, active: focused });
  const [above, below] = [top, Math.max(0, lines.length - top - room)];
  return (
    <>
      {lines.slice(top, top + room).map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line has no identity but its position
        <Line key={index} {...line} />
      ))}
      {above + below > 0 && <Text kind="dim">{`… ${above} above, ${below} below (arrows, pgup, pgdn)`}</Text>}
    </>
  );
}

interface LineProps {
  label: string;
  value: string;
  over?: readonly number[] | undefined;
  /** Value of a full bar. Default: the largest value. */
  max?: number | undefined;
  kind?: Kind | undefined;
}

function Line({ label, value, over, max, kind }: LineProps) {
  const { columns } = useSpace();
  const room = columns - label_columns - value_columns - 2;
  const isDrawn = over !== undefined && room > 0;
  return (
    <Text>
      <Text kind="dim">{fit(label, label_columns)}</Text>
      <Text kind={kind}>{fit(oneLine(value), isDrawn ? value_columns : columns - label_columns)}</Text>
      {isDrawn ? `  ${sparkline(over, room, max)}` : ''}
    </Text>
  );
}

function isFull({ seats }: StatusRecord): boolean {
  return seats !== null && seats.limit > 0 && seats.used >= seats.limit;
}

function seatsOf({ seats }: StatusRecord): string {
  return seats === null ? '-' : `${number(seats.used)} of ${seats.limit === 0 ? 'unlimited' : number(seats.limit)}`;
}

function extensionsOf({ extensions: { active, disabled, failed } }: StatusRecord): string {
  const first = failed[0];
  const rest = first ? `, ${failed.length} failed: ${first.name}: ${first.error}` : '';
  return `${active} active, ${disabled} disabled${rest}`;
}

function checksOf(checks: readonly CheckRecord[]): LineProps[] {
  const red = checks.filter(({ ok }) => !ok);
  if (red.length === 0) return [{ label: 'Checks', value: `all ${checks.length} are green`, kind: 'good' }];
  return red.map(({ extension, code, message }) => ({ label: 'Red', value: `${extension}: ${message} (${code})`, kind: 'bad' }));
}

function figuresOf({ figures }: StatusRecord): LineProps[] {
  return figures.map(({ extension, name, help, value }) => ({ label: extension, value: `${number(value)}  ${help || name}`, kind: 'dim' }));
}

export default { title: 'Overview', order: 0, View } satisfies Panel<SystemApi>;

/** Values drawn over time, newest last. */
interface History {
  requests: readonly number[];
  errors: readonly number[];
  delay: readonly number[];
  cpu: readonly number[];
  memory: readonly number[];
}

const max_samples = 120;

const noHistory: History = { requests: [], errors: [], delay: [], cpu: [], memory: [] };

/** Returns the history with one more reading; missing values are skipped. */
function withReading(before: History, { http, event_loop_delay_ms, cpu_percent, memory_mb }: StatusRecord): History {
  return {
    requests: append(before.requests, http?.requests_per_second),
    errors: append(before.errors, http?.errors_per_minute),
    delay: append(before.delay, event_loop_delay_ms?.p99),
    cpu: append(before.cpu, cpu_percent),
    memory: append(before.memory, memory_mb.rss),
  };
}

function append(values: readonly number[], value: number | null | undefined): readonly number[] {
  return value === null || value === undefined ? values : [...values, value].slice(-max_samples);
}
