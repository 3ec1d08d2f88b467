import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { systemReason } from '../../kernel/client/system-reason.js';
import type { Context } from '../command.js';
import { UsageError } from '../exit.js';
import { assertFields, print } from '../output.js';
import { Progress, withProgress } from '../progress.js';
import { remark } from '../remark.js';
import type { Session } from '../session.js';
import type { Terminal } from '../terminal.js';
import { withSession } from '../within-session.js';
import type { Opened, Opening } from './opening.js';
import { Remarks } from './remarks.js';
import type { Export } from './types.js';
import { ImportWriter, type Written } from './writer.js';

export type Source = 'mattermost' | 'slack' | 'open-webui';

interface Flags {
  dryRun?: boolean;
  owner?: string[];
  from?: string;
  json?: boolean | string;
}

const fields = ['source', 'dry_run', 'members', 'rooms', 'messages', 'reactions', 'files', 'remarks'];
const columns = ['kind', 'created', 'matched', 'known', 'left_out'];

/** Imports an export of another product: checks all of it, then stores it in portions, and says what was and what was not taken over. */
export async function runImport(source: Source, path: string, { command, context }: { command: Command; context: Context }): Promise<void> {
  const flags = command.opts<Flags>();
  assertFields(flags.json, fields);
  await assertFile(path);
  await withSession(command, context, async (session) => {
    assertHere(session);
    const remarks = new Remarks();
    const label = flags.dryRun ? 'checking' : 'importing';
    const written = await withProgress(new Progress(context.terminal, label, (count) => `${count} messages`), async (progress) => {
      const opening = { remarks, now_ms: Date.now(), signal: context.signal };
      const opened = await openSource(source, path, { ...opening, owners: flags.owner ?? [] });
      try {
        const parts = { session, signal: context.signal, source: sourceName(source, flags.from), dry_run: flags.dryRun === true };
        const writer = new ImportWriter({ ...parts, remarks, progress });
        if (opened.found.needs_members) await assertMembers(writer, opened.found);
        return await writer.write(opened.found);
      } finally {
        await opened.close();
      }
    });
    report({ source, dry_run: flags.dryRun === true, ...written }, { remarks, json: flags.json, terminal: context.terminal });
  });
}

async function openSource(source: Source, path: string, opening: Opening & { owners: readonly string[] }): Promise<Opened> {
  if (source === 'mattermost') return (await import('./mattermost.js')).openMattermost(path, opening);
  if (source === 'slack') return (await import('./slack.js')).openSlack(path, opening);
  return (await import('./open-webui.js')).openOpenWebui(path, opening);
}

/** Returns the name under which records are remembered: two installations of one product may use the same names. */
function sourceName(source: Source, from: string | undefined): string {
  if (from === undefined) return source;
  if (!/^[\w.-]{1,40}$/.test(from))
    throw new UsageError(`'${from}' for --from is no name`, 'use letters, digits, dots and dashes, as in: --from old-server');
  return `${source}:${from}`;
}

async function assertFile(path: string): Promise<void> {
  const found = await stat(path).catch((fault: unknown) => {
    throw new UsageError(`'${path}' can't be read: ${systemReason(fault)}`, 'name the file of the export');
  });
  if (!found.isFile()) throw new UsageError(`'${path}' is no file`, 'name the file of the export');
}

/** Fails if the server is elsewhere: an import writes in the name of others, which only its machine may. */
function assertHere({ way, name }: Session): void {
  if (way !== 'http') return;
  throw new UsageError(`Imports run on the server's machine only, not through ${name}`, 'run it there with: --data-dir <folder>');
}

async function assertMembers(writer: ImportWriter, { people }: Export): Promise<void> {
  const missing = (await writer.findPeople(people)).filter(({ state }) => state === 'created' || state === 'gone');
  const [first] = missing;
  if (first) throw new UsageError(`There is no member '${first.username}' for --owner`, 'list members with: platform member list');
}

interface Reporting {
  remarks: Remarks;
  json: boolean | string | undefined;
  terminal: Terminal;
}

function report(written: Written & { source: Source; dry_run: boolean }, { remarks, json, terminal }: Reporting): void {
  const list = remarks.list();
  if (json !== undefined && json !== false) {
    print({ ...written, remarks: list }, { json, fields }, terminal);
    return;
  }
  const { members, rooms, messages, files, reactions, dry_run } = written;
  const rows = Object.entries({ members, rooms, messages, files }).map(([kind, counts]) => ({ kind, matched: 0, ...counts }));
  print([...rows, { kind: 'reactions', created: reactions, matched: 0, known: 0, left_out: 0 }], { columns }, terminal);
  for (const { text, count, examples } of list) {
    remark(`${count} ${text}${examples.length === 0 ? '' : `: ${examples.join('; ')}${count > examples.length ? '; …' : ''}`}`, terminal);
  }
  if (dry_run) {
    remark('Nothing was changed: this was a dry run. Repeat it without --dry-run.', terminal);
    return;
  }
  if (members.created > 0)
    remark('The new members are inactive and have no password. Activate them one by one, and set a password or let them log in.', terminal);
}
