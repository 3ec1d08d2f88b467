import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { builtinManifests } from '../../cli/catalog.js';
import { run } from '../../cli/program.js';
import type { Terminal } from '../../cli/terminal.js';
import { settings } from '../../config/schema.js';
import type { Kernel } from '../../kernel/boot/kernel.js';
import type { ActiveOperation } from '../../kernel/core/catalog/catalog.js';
import { audienceOf } from '../../kernel/core/invoke/authorise.js';
import { answers } from '../../kernel/platform/http/docs/answers.js';
import { until } from '../helpers/eventually.js';
import { table } from '../helpers/markdown.js';
import { eventsPage } from './events-page.js';
import { code, fieldsOf, upperFirst } from './fields.js';
import { openApiOf } from './openapi.js';

const notice = '<!-- Generated from the code: change the code, then run `npm run docs`. -->';

/** The folder of the project in which the pages are. */
export const folder = 'docs/reference';

/** Returns the text of each page by its file name. The platform must run with all its own extensions. */
export async function pages(kernel: Kernel): Promise<ReadonlyMap<string, string>> {
  const operations = [...kernel.host.catalog.operations.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
  const found: [string, string][] = [
    ['settings.md', settingsPage()],
    ['operations.md', operationsPage(operations)],
    ['events.md', eventsPage(await openApiOf(kernel.url ?? ''))],
    ['failures.md', failuresPage(operations)],
    ['metrics.md', await metricsPage(kernel.url ?? '')],
    ['command-line.md', await commandsPage()],
    ['manifest.md', manifestPage()],
  ];
  return new Map(found.map(([name, text]) => [name, `${notice}\n\n${text.trim()}\n`]));
}

function settingsPage(): string {
  const defaults = JSON.parse(readFileSync('config/default.json', 'utf8')) as object;
  const rows = Object.entries(settings).map(([key, { environment, type, summary, ...setting }]) => {
    const value = key.split('.').reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], defaults);
    const secret = 'secret' in setting ? ` Secret: \`${environment}_FILE\` may name a file that holds it.` : '';
    return [
      code(key),
      code(environment),
      code(value === '' || value === undefined ? '' : JSON.stringify(value)),
      `${summary} ${upperFirst(type.expected)}.${secret}`,
    ];
  });
  return `# Settings

Each setting has a key for the configuration file and an environment variable, which wins over the file. An empty default means "not set".

${table(['Key', 'Variable', 'Default', 'Meaning'], rows)}`;
}

function operationsPage(operations: readonly ActiveOperation[]): string {
  const about = new Map(builtinManifests().map(({ id, name, description }) => [id, { name, description }]));
  const extensions = [...new Set(operations.map(({ extension }) => extension))].sort();
  const parts = extensions.map((id) => {
    const own = operations.filter(({ extension }) => extension === id);
    return `## ${about.get(id)?.name ?? id}\n\n${about.get(id)?.description ?? ''}\n\n${own.map(operationPart).join('\n\n')}`;
  });
  return `# Operations

Each operation is reached over HTTP and by \`platform call\`. AI employees and members' MCP clients get those marked \`tool\` as tools;
MCP clients alone get those marked \`mcp\`. Schedules may run those marked \`schedulable\`. Every answer but a success has the
[body of a failure](failures.md). The *audience* is who gets the same answer: all \`members\`, the \`caller\` alone, or the
administrators (\`admin\`). The same is served by a running platform as OpenAPI under \`/openapi.json\`.

${parts.join('\n\n')}`;
}

function operationPart({ id, data, operation }: ActiveOperation): string {
  const { method, path, summary, who, kind, scope, input, answer, status, failures = [], ...rest } = data();
  const traits = [
    who === 'public' ? 'for everybody' : `for ${who}s`,
    ...(who === 'public' ? [] : [`scope \`${scope ?? operation.scope ?? defaultScope(who, method)}\``]),
    ...(kind === 'call' ? [] : [`kind \`${kind}\``]),
    ...(['dangerous', 'tool', 'mcp', 'schedulable', 'costly', 'progress'] as const).filter((trait) => rest[trait] === true),
    `audience \`${audienceOf(operation)}\``,
    ...(rest.idempotent ? ['takes `Idempotency-Key`'] : []),
  ];
  const fields = fieldsOf(input);
  const given = fieldsOf(answer ?? {});
  return [
    `### \`${id}\``,
    `\`${method} ${path}\` · ${traits.join(' · ')}`,
    summary,
    ...(fields.length > 0 ? [table(['Input', 'Type', 'Meaning'], fields)] : []),
    ...(given.length > 0 ? [table([`Answer (${status})`, 'Type', 'Meaning'], given)] : [`Answers with ${status}.`]),
    ...(failures.length > 0 ? [`Failures of its own: ${failures.map(code).join(', ')}.`] : []),
  ].join('\n\n');
}

function defaultScope(who: string, method: string): string {
  if (who === 'admin') return 'admin';
  return method === 'GET' ? 'read' : 'chat';
}

function failuresPage(operations: readonly ActiveOperation[]): string {
  const found = new Map<string, { status: number; own: Set<string>; count: number }>();
  for (const active of operations) {
    for (const [status, { description }] of Object.entries(answers(active, undefined))) {
      for (const [, name = ''] of Number(status) < 400 ? [] : description.matchAll(/`(\w+)`/g)) {
        const entry = found.get(name) ?? { status: Number(status), own: new Set(), count: 0 };
        entry.count += 1;
        if (active.operation.failures?.includes(name)) entry.own.add(active.id);
        found.set(name, entry);
      }
    }
  }
  const rows = [...found].map(([name, { status, own, count }]) => [
    code(name),
    `${status}`,
    own.size > 0 ? [...own].map(code).join(', ') : `The platform: ${count} operations`,
  ]);
  for (const [name, { status, raised_by }] of codeTables()) if (!found.has(name)) rows.push([code(name), `${status}`, raised_by]);
  rows.sort(([one = ''], [other = '']) => (one < other ? -1 : 1));
  return `# Failure codes

Every answer that is not a success is JSON with \`statusCode\`, \`error\`, \`message\`, \`code\` and \`request_id\`; an invalid input has
\`details\`, a list of \`path\` and \`message\`. Programs decide by \`code\`, which never changes its meaning; \`message\` is for people.

${table(['Code', 'Status', 'Raised by'], rows)}`;
}

/** Finds the codes in all tables of the sources: some are raised by plugins' calls, background work and the command line alone. */
function codeTables(): Map<string, { status: number; raised_by: string }> {
  const found = new Map<string, { status: number; raised_by: string }>();
  for (const root of ['kernel', 'extensions', 'cli']) {
    for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))) {
      const text = readFileSync(join(root, file), 'utf8');
      const raised_by =
        root === 'extensions' ? `The extension \`${file.split('/')[0]}\`` : root === 'cli' ? 'The command line' : 'The platform';
      for (const [, table = ''] of text.matchAll(/(?:failures\(|Codes = )\{([^}]*)\}/gi))
        for (const [, name = '', status] of table.matchAll(/(\w+): ([45]\d\d)\b/g))
          if (!found.has(name)) found.set(name, { status: Number(status), raised_by });
    }
  }
  return found;
}

async function metricsPage(url: string): Promise<string> {
  // Some figures are of the time between two readings.
  const read = async () => (await fetch(`${url}/metrics`)).text();
  const text = await until(read, (found) => found.includes('nodejs_eventloop_lag_p50_seconds'));
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]));
  const rows = [...text.matchAll(/^# HELP (\S+) (.*)$/gm)]
    .map(([, name = '', help = '']) => [code(name), types.get(name) ?? '', help])
    .sort(([one = ''], [other = '']) => (one < other ? -1 : 1));
  return `# Metrics

\`GET /metrics\` answers in the text format of Prometheus. Extensions add their own figures while they run.

${table(['Metric', 'Type', 'Meaning'], rows)}`;
}

async function commandsPage(): Promise<string> {
  const parts: string[] = [];
  const walk = async (words: readonly string[]): Promise<void> => {
    const help = await helpOf(words);
    parts.push(`## ${['platform', ...words].join(' ')}\n\n\`\`\`text\n${help.trim()}\n\`\`\``);
    if (words.length < 3) for (const name of subcommandsIn(help)) await walk([...words, name]);
  };
  await walk([]);
  return `# Command line\n\nThe help of each command, as \`platform <command> --help\` prints it.\n\n${parts.join('\n\n')}`;
}

async function helpOf(words: readonly string[]): Promise<string> {
  let text = '';
  const out = Object.assign(new EventEmitter(), { write: (piece: string) => (text += piece), columns: 100 });
  const terminal = { env: {}, stdin: process.stdin, stdout: out, stderr: out } as unknown as Terminal;
  await run(new Command('platform'), [...words, '--help'], terminal);
  return text;
}

/** Names in the sections of a help text that list commands. */
function subcommandsIn(help: string): string[] {
  const sections = help.split(/\n(?=\S)/).filter((section) => /^[A-Z][\w ]*:\n/.test(section) && /ommands:\n/.test(section));
  const names = sections.flatMap((section) => [...section.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = '']) => name));
  return names.filter((name) => name !== 'help');
}

function manifestPage(): string {
  const file = 'kernel/contract/manifest.ts';
  const parts = ['Manifest', 'Permissions', 'PluginLimits', 'Contributions'].map(
    (name) => `## ${name}\n\n${table(['Key', 'Type', 'Meaning'], interfaceRows(file, name))}`,
  );
  return `# The manifest of a plugin or skill

\`manifest.json\` lies at the top of a bundle. \`platform extension check\` tells what is wrong with one. Packing fills in
\`contributes\`; a third party leaves out \`protocols\`, \`required\` and \`requires\`.

${parts.join('\n\n')}`;
}

/** Rows of key, type and comment of an interface. */
function interfaceRows(file: string, name: string): string[][] {
  const body = new RegExp(`export interface ${name} \\{\\n([\\s\\S]*?)\\n\\}`).exec(readFileSync(file, 'utf8'))?.[1] ?? '';
  const rows = [...body.matchAll(/(?: {2}\/\*\*([\s\S]*?)\*\/\n)? {2}(?:readonly )?(\w+)(\?)?: (.*);/g)];
  assert(rows.length > 0, `${file} has no interface ${name}`);
  return rows.map(([, comment = '', key = '', optional, type = '']) => {
    const meaning = comment
      .replaceAll(/\n\s*\*/g, '')
      .replaceAll(/\{@link (\w+)\}/g, '`$1`')
      .trim();
    return [code(key), `${code(type)}${optional ? ', optional' : ''}`, meaning];
  });
}
