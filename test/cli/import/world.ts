import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import type { Test } from 'tap';
import type { Remark } from '../../../cli/import/remarks.js';
import type { Written } from '../../../cli/import/writer.js';
import { run } from '../../../cli/program.js';
import type { Terminal } from '../../../cli/terminal.js';
import type { Message, Session } from '../../../extensions/chat/contract.js';
import type { Member } from '../../../extensions/members/contract.js';
import { administrator, type PlatformClient, type World } from '../../extensions/chat/world.js';
import { type TestPlatform, temporaryFolder } from '../../helpers/platform.js';

export interface Imported extends Written {
  dry_run: boolean;
  remarks: Remark[];
}

/** How an import ended. */
export interface ImportRun {
  code: number;
  stderr: string;
  /** Undefined if it failed. */
  report: Imported | undefined;
}

/** Runs `platform import …` in this process, through the socket of a platform. */
export async function runImport(t: Test, { data_dir }: TestPlatform, args: readonly string[]): Promise<ImportRun> {
  const folder = await temporaryFolder(t);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const terminal = { env: { HOME: folder, XDG_CONFIG_HOME: join(folder, 'config') }, stdin: process.stdin, stdout, stderr };
  const texts = Promise.all([text(stdout), text(stderr)]);
  const words = ['import', ...args, '--data-dir', data_dir, '--json'];
  const code = await run(new Command('platform'), words, terminal as unknown as Terminal);
  stdout.end();
  stderr.end();
  const [out, fault] = await texts;
  return { code, stderr: fault, report: out === '' ? undefined : (JSON.parse(out) as Imported) };
}

/** Returns the counts of remarks by their texts. */
export function remarksOf({ report }: ImportRun): Record<string, number> {
  return Object.fromEntries((report?.remarks ?? []).map(({ text, count }) => [text, count]));
}

/** Returns a word that no other test uses. */
export function unique(): string {
  return randomUUID().slice(0, 8);
}

export async function memberNamed({ platform }: World, username: string): Promise<Member | undefined> {
  return (await administrator(platform).members.list({ username })).items[0];
}

/** Returns a session of a member by its title. */
export async function sessionNamed(client: PlatformClient, title: string): Promise<Session | undefined> {
  return (await client.sessions.list({ limit: 200, offset: 0 })).find((session) => session.title === title);
}

/** Returns the messages of a session. */
export async function messagesIn(client: PlatformClient, session: Session | undefined): Promise<Message[]> {
  return session ? client.messages.list({ session_id: session.id, limit: 200 }) : [];
}

/** Returns the parts of what a platform has that a failed import must not change. */
export async function stateOf({ platform }: World, client: PlatformClient): Promise<unknown> {
  const { total } = await administrator(platform).members.list({});
  const sessions = await client.sessions.list({ limit: 200, offset: 0 });
  return { total, sessions: sessions.map(({ id, last_message_at }) => ({ id, last_message_at })) };
}
