import type { Command } from 'commander';
import type { CheckRecord, StatusRecord } from '../kernel/contract/system.js';
import { leafOf } from './catalog.js';
import type { Context } from './command.js';
import { exitCodes } from './exit.js';
import { fixOf } from './fixes.js';
import { asTyped } from './invocation.js';
import { print } from './output.js';
import { hanging } from './record.js';
import { type CommonFlags, configOf, findServer, type Session } from './session.js';
import { cell, pad, width } from './table.js';
import { coloured, type Terminal } from './terminal.js';
import { duration, grouped } from './units.js';
import { callIn } from './within-session.js';
import { wrappedHint } from './wrap.js';

interface Line {
  key: string;
  value: string;
  severity?: 'good' | 'bad' | undefined;
  /** The command that fixes it. */
  fix?: string | undefined;
}

/** Shows the state of the server. Never opens the data folder itself: that would show the state of this process. */
export async function showStatus(command: Command, context: Context): Promise<void> {
  const flags = command.optsWithGlobals<CommonFlags & { json?: boolean | string }>();
  const { terminal } = context;
  const server = await findServer(flags, terminal);
  if (server === undefined) {
    const { data_dir } = await configOf(flags, terminal);
    const value = `stopped: no server is running on ${data_dir}`;
    const line: Line = {
      key: 'state',
      value,
      severity: 'bad',
      fix: 'start it with: platform serve, or choose another one with: --url <address>',
    };
    write({ answer: { state: 'stopped' }, lines: [line], json: flags.json }, terminal);
    process.exitCode = exitCodes.unreachable;
    return;
  }
  try {
    const { status, red } = await ask(server, context);
    const isWell = red.length === 0 && status.extensions.failed.length === 0;
    const answer = { state: isWell ? 'well' : 'red', ...status, red };
    write({ answer, lines: linesOf(status, red), json: flags.json }, terminal);
    if (!isWell) process.exitCode = exitCodes.failure;
  } finally {
    await server.close();
  }
}

async function ask(session: Session, { signal }: Context): Promise<{ status: StatusRecord; red: CheckRecord[] }> {
  const answerOf = async (id: 'status.get' | 'checks.list') => (await callIn(session, leafOf(id), { signal })).body;
  const status = (await answerOf('status.get')) as StatusRecord;
  const checks = (await answerOf('checks.list')) as CheckRecord[];
  return { status, red: checks.filter(({ ok }) => !ok) };
}

function linesOf(status: StatusRecord, red: readonly CheckRecord[]): Line[] {
  const { version, node_version, database, seats, extensions } = status;
  const state: Line =
    red.length > 0 || extensions.failed.length > 0
      ? { key: 'state', value: 'red', severity: 'bad' }
      : { key: 'state', value: 'all is well', severity: 'good' };
  const seatsLine = seats && { key: 'seats', value: `${seats.used} in use${seats.limit > 0 ? ` of ${seats.limit}` : ''}` };
  return [
    state,
    { key: 'version', value: `${version} on Node ${node_version.replace(/^v/, '')}, ${database}` },
    ...processLines(status),
    ...(seatsLine ? [seatsLine] : []),
    { key: 'extensions', value: extensionsOf(status) },
    ...gaugeLines(status),
    ...red.map(redLine),
  ];
}

function processLines({ http, uptime_s, started_at, pid, ...load }: StatusRecord): Line[] {
  const { memory_mb: memory, cpu_percent: cpu, event_loop_delay_ms: delay } = load;
  const lines: Line[] = [
    { key: 'running', value: `${duration(uptime_s)}, since ${started_at}` },
    { key: 'process', value: `${pid}, ${Math.round(memory.rss)} MB${cpu === null ? '' : `, ${cpu} % of a core`}` },
  ];
  if (delay !== null) lines.push({ key: 'event loop', value: `${delay.p50} ms late, p99 ${delay.p99} ms` });
  if (http === null) return lines;
  return [
    { key: 'address', value: http.url },
    ...lines,
    { key: 'requests', value: `${grouped(http.requests)}, ${http.requests_per_second} a second in the last minute` },
    { key: 'errors', value: `${grouped(http.errors)}, ${grouped(http.errors_per_minute)} in the last minute` },
    { key: 'open', value: `${grouped(http.streams)} streams, ${grouped(http.sockets)} sockets` },
  ];
}

function extensionsOf({ extensions: { active, disabled, failed } }: StatusRecord): string {
  const parts = [`${active} active`];
  if (disabled > 0) parts.push(`${disabled} disabled`);
  if (failed.length > 0) parts.push(`${failed.length} failed (${failed.map(({ name }) => name).join(', ')})`);
  return parts.join(', ');
}

/** Returns the gauges of the extensions that are not 0. */
function gaugeLines({ figures }: StatusRecord): Line[] {
  return figures.filter(({ value }) => value !== 0).map(({ help, value }) => ({ key: help, value: grouped(value) }));
}

function redLine({ extension, code, message, fix }: CheckRecord): Line {
  const mend = fix ?? fixOf(code, extension);
  return { key: 'red', value: `${extension}.${code}: ${message}`, severity: 'bad', fix: mend };
}

interface Report {
  answer: object;
  lines: readonly Line[];
  json: boolean | string | undefined;
}

function write({ answer, lines, json }: Report, terminal: Terminal): void {
  if (json !== undefined) print(answer, { json }, terminal);
  else if (terminal.stdout.isTTY) show(lines, terminal);
  else print(lines, { columns: ['key', 'value', 'fix'] }, terminal);
}

function show(lines: readonly Line[], terminal: Terminal): void {
  const keys = Math.max(...lines.map(({ key }) => width(cell(key)))) + 1;
  const columns = terminal.stdout.columns || 80;
  const texts = lines.map((line) => lineOf(line, { keys, columns, colour: coloured(terminal) }, terminal));
  terminal.stdout.write(texts.join(''));
}

const colours = { good: 32, bad: 31 } as const;

interface Layout {
  keys: number;
  columns: number;
  colour: boolean;
}

function lineOf({ key, value, severity, fix }: Line, { keys, columns, colour }: Layout, terminal: Terminal): string {
  const head = `${pad(`${cell(key)}:`, keys)}  `;
  const indent = ' '.repeat(width(head));
  const shown = hanging(head, asTyped(cell(value), terminal), columns).map((line) => line.slice(head.length));
  const texts = shown.map((line) => (severity && colour ? `\u001B[${colours[severity]}m${line}\u001B[39m` : line));
  const below = fix === undefined ? [] : wrappedHint(asTyped(cell(fix), terminal), columns - width(head));
  return [...texts, ...below].map((line, index) => `${index === 0 ? head : indent}${line}\n`).join('');
}
