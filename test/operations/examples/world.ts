import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sqlite3 from 'sqlite3';
import type { Test } from 'tap';
import { digest } from '../../../extensions/members/opaque.js';
import type { Kernel } from '../../../kernel/boot/kernel.js';
import { packed } from '../../examples/world.js';
import { until } from '../../helpers/eventually.js';
import { adminPassword, callerOf, startPlatform, type TestPlatform } from '../../helpers/platform.js';
import { goodSkill, skillManifest } from '../../kernel/platform/bundles/world.js';
import { zipOf } from '../../kernel/platform/bundles/zip.js';
import { type Documented, send } from './calls.js';

/** Ids that the examples use for records whose ids are random. */
const named = (n: string) => `019a0b5e-7c10-7000-8000-0000000000${n}`;

const skill = (id: string) => zipOf(goodSkill({ ...skillManifest, id, version: '1.0.0', tags: ['writing'], category: 'office' }));

interface Sent {
  session_id: string;
  message_id: string;
  task_id: string;
}

/** A platform with the records that the examples name. Numbers come from the order in which the records are made. */
export class ExampleWorld {
  readonly url: string;
  readonly #platform: TestPlatform;
  readonly #names = new Map<string, string>();
  /** Ada's, which an example changes. */
  #password = adminPassword;

  private constructor(platform: TestPlatform) {
    this.#platform = platform;
    this.url = platform.url;
  }

  static async start(t: Test): Promise<ExampleWorld> {
    const settings = { docker_host: 'unix:///nowhere/docker.sock', 'plugins.trusted': ['acme.webhooks'], database_url: 'sqlite:' };
    const world = new ExampleWorld(await startPlatform(t, { settings }));
    await world.#people(await packed(t, 'acme.webhooks'));
    await world.#things();
    await world.#bundles();
    await world.#rooms();
    await world.#conversations();
    await world.#backup();
    await world.#rename();
    return world;
  }

  get kernel(): Kernel {
    return this.#platform.kernel;
  }

  /** Sends the example of an operation, as ada or an administrator. Only what is secret or a file is put in: examples can't have it. */
  async send(operation: Documented): Promise<Response> {
    const isAdmin = this.#platform.kernel.operations()[operation.id]?.who === 'admin';
    const tokens = await this.#logIn(isAdmin ? 'admin' : 'ada', isAdmin ? adminPassword : this.#password);
    const body = operation.body?.example;
    if (operation.id === 'auth.password') this.#password = (body as { new_password: string }).new_password;
    if (operation.id === 'auth.refresh') Object.assign(body as object, { refresh_token: tokens.refresh_token });
    const file = operation.id === 'marketplace.publish' ? skill('acme.minutes') : Buffer.alloc(1_024);
    return send(this.url, operation, { token: tokens.access_token, file });
  }

  #logIn(username: string, password: string): Promise<{ access_token: string; refresh_token: string }> {
    return this.#ask('auth.login', { username, password }, { member_id: 0, username: '', role: 'member' });
  }

  async #ask<Body>(operation: string, input: object = {}, caller: Parameters<typeof callerOf>[0] = {}): Promise<Body> {
    return (await this.#platform.kernel.invoke(operation, input, callerOf(caller))).body as Body;
  }

  /** As ada, who uses the platform in the examples. */
  #ada<Body>(operation: string, input: object = {}): Promise<Body> {
    return this.#ask(operation, input, { member_id: 3, username: 'ada', role: 'member' });
  }

  /** Starts the login of a program. */
  async #program(): Promise<{ user_code: string; device_code: string }> {
    const body = new URLSearchParams({ client_id: 'platform-cli', device_name: 'platform on laptop' });
    const answer = await fetch(`${this.url}/api/auth/device/code`, { method: 'POST', body });
    return (await answer.json()) as { user_code: string; device_code: string };
  }

  /** The members 3 to 7: ada, grace, Márta who is an AI employee, one who leaves, and the member of a plugin. Then invitations 1 and 2. */
  async #people(plugin: Buffer): Promise<void> {
    for (const [username, nickname] of [
      ['ada', 'Ada Lovelace'],
      ['grace', 'Grace Hopper'],
    ])
      await this.#ask('members.create', { username, nickname, password: adminPassword });
    await this.#ask('members.create_virtual', { name: 'Márta Kovács', post: 'Analyst', mode: 'supervised' });
    await this.#ask('members.create', { username: 'leaver', password: adminPassword });
    await this.#platform.kernel.workbench.install(plugin);
    const invited = await this.#ask<{ token: string }>('invitations.create', { email: 'joan@example.com' });
    this.#names.set(digest(invited.token), digest('k3Vq9w2mTzB6nRc8yHf4sLd7jGp1xKa5uEo0iWtYbNQ'));
    await this.#ask('invitations.create', {});
    const waiting = await this.#program();
    this.#names.set(digest(waiting.user_code), digest('WDJB-MJHT'));
    const approved = await this.#program();
    this.#names.set(digest(approved.device_code), digest('Zr5cVq0d4k1mYb8sXw3nTf6hLp9aJe2uGi7oRy4QxEw'));
    await this.#ada('auth.confirm_device', { user_code: approved.user_code, decision: 'approve' });
  }

  /** Token 1, a login, notification 1, work nodes 1 and 2, schedules 1 to 3 with run 1, and run 2 which waits. */
  async #things(): Promise<void> {
    await this.#ada('tokens.create', { name: 'laptop', scopes: ['read', 'chat'] });
    const { refresh_token } = await this.#logIn('ada', this.#password);
    this.#names.set(refresh_token.split('.')[0] as string, 'IfLlc5J4x-usP4L7lUBz6g');
    await this.#ada('notifications.send', { title: 'Backup finished', summary: 'It took 12 seconds.', link: '/status' });
    for (const name of ['build-1', 'build-2'])
      await this.#ask('nodes.register', { name, node_type: 'docker', host: 'unix:///nowhere/docker.sock' });
    const usual = { trigger_type: 'cron', trigger_value: '0 9 * * 1-5', timezone: 'Europe/Berlin' };
    const greeting = { ...usual, name: 'Greeting', action: 'chat.send', params: { content: 'Good morning', target_type: '' } };
    const call = { url: 'http://nowhere..example/' };
    await this.#ask('schedules.create', greeting);
    await this.#ask('schedules.create', {
      ...usual,
      name: 'Report',
      action: 'http.request',
      params: call,
      retries: 1,
      retry_delay_s: 3_600,
    });
    await this.#ask('schedules.create', { ...greeting, name: 'Old greeting' });
    const run = async (id: number, isReady: (run: { status: string; attempt: number }) => boolean) => {
      const { run_id } = await this.#ask<{ run_id: number }>('schedules.run', { id });
      await until(() => this.#ask<{ status: string; attempt: number }>('schedules.run_record', { id, run_id }), isReady);
    };
    await run(1, ({ status }) => status === 'success');
    await run(2, ({ status, attempt }) => status === 'queued' && attempt === 1);
  }

  /** Skills in each state of a review, and trusted key 1. */
  async #bundles(): Promise<void> {
    const skills = { 'acme.reports': 'install', 'acme.templates': 'approve', 'acme.old': 'approve', 'acme.drafts': '', 'acme.spam': '' };
    for (const [id, until] of Object.entries(skills)) {
      const bytes = skill(id);
      const path = join(this.#platform.data_dir, `${id}.zip`);
      await writeFile(path, bytes);
      await this.#ada('marketplace.publish', { type: 'skill', file: { path, bytes: bytes.length } });
      if (until !== '') await this.#ask('marketplace.approve', { id, version: '1.0.0' });
      if (until === 'install') await this.#ask('marketplace.install', { id });
    }
    // Test 2 of RFC 8032, section 7.1.
    await this.#ask('marketplace.trust_key', { name: 'Acme', public_key: 'PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=' });
  }

  /** A room of ada's with grace and Márta, and an open one that ada is not in. */
  async #rooms(): Promise<void> {
    const room = { title: 'Launch', target_type: 'room', target_id: '', member_ids: [4, 5] };
    const { id } = await this.#ada<{ id: string }>('sessions.create', room);
    this.#names.set(id, named('04'));
    const open = { title: 'Coffee corner', target_type: 'room', target_id: '', visibility: 'open' };
    const other = await this.#ask<{ id: string }>('sessions.create', open, { member_id: 4, username: 'grace', role: 'member' });
    this.#names.set(other.id, named('05'));
  }

  /** A conversation that has ended, one to delete, and one in which a task waits for approval and others behind it. */
  async #conversations(): Promise<void> {
    // One transparent pixel.
    const pixel = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
    const image = `data:image/gif;base64,${pixel}`;
    const report = { filename: 'report.txt', path: join(this.#platform.data_dir, 'report.txt'), bytes: 22 };
    await writeFile(report.path, 'Sales grew by a third.');
    const file = await this.#ada<{ id: string }>('files.upload', { file: report });
    this.#names.set(file.id, named('61'));
    const picture = { filename: 'dot.gif', path: join(this.#platform.data_dir, 'dot.gif'), bytes: 42 };
    await writeFile(picture.path, pixel, 'base64');
    this.#names.set((await this.#ada<{ id: string }>('files.upload', { file: picture })).id, named('62'));
    const first = await this.#send({ content: '/help', images: [image], files: [file.id], target_type: 'ai' }, '01', ['11', '12', '13']);
    await until(
      () => this.#ada<{ status: string }>('tasks.get', { task_id: first.task_id }),
      ({ status }) => status === 'completed',
    );
    const { id } = await this.#ada<{ id: string }>('sessions.create', { title: 'To delete', target_type: '', target_id: '' });
    this.#names.set(id, named('02'));
    const asking = await this.#send({ content: '/call members.get {"id": 1}', target_id: 5 }, '03', ['21', '22', '23']);
    const open = () => this.#ada<{ id: string; tool_call_id: string }[]>('approvals.list', { status: 'pending' });
    const [approval] = await until(open, ({ length }) => length > 0);
    this.#names.set(approval?.id as string, named('24'));
    this.#names.set(approval?.tool_call_id as string, named('25'));
    const { session_id } = asking;
    for (const n of ['3', '4', '5']) await this.#send({ content: 'Then show member 3', session_id }, '03', [`${n}1`, `${n}2`, `${n}3`]);
    // Somebody else writes to ada, so that something is unread.
    await this.#ask(
      'chat.send',
      { content: 'Lunch?', target_type: 'member', target_id: 3 },
      { member_id: 4, username: 'grace', role: 'member' },
    );
  }

  /** Sends a message as ada, and names the session, message, reply and task. */
  async #send(input: object, session: string, [message, reply, task]: [string, string, string]): Promise<Sent> {
    const sent = await this.#ada<Sent>('chat.send', input);
    const { reply_id } = await this.#ada<{ reply_id: string }>('tasks.get', { task_id: sent.task_id });
    const ids = [
      [sent.session_id, session],
      [sent.message_id, message],
      [reply_id, reply],
      [sent.task_id, task],
    ] as const;
    for (const [id, n] of ids) this.#names.set(id, named(n));
    return sent;
  }

  async #backup(): Promise<void> {
    const { file } = await this.#ask<{ file: string }>('maintenance.backup');
    const folder = join(this.#platform.data_dir, 'backups');
    await rename(join(folder, file), join(folder, '20261126T060000000Z-1a2b3c4d.tar'));
  }

  /** Gives records the ids of the examples. Leases no longer end, because their workers know the tasks by the old ids. */
  async #rename(): Promise<void> {
    const database = new sqlite3.Database(join(this.#platform.data_dir, 'platform.db'));
    const run = (sql: string, values: unknown[] = []) =>
      new Promise<Record<string, string>[]>((resolve, reject) => {
        database.all(sql, values, (fault: Error | null, rows) => (fault ? reject(fault) : resolve(rows as Record<string, string>[])));
      });
    await run('PRAGMA busy_timeout = 10000');
    const columns = await run(
      `SELECT m.name AS "table", c.name AS "column" FROM sqlite_master m, pragma_table_info(m.name) c
       WHERE m.type = 'table' AND c.type LIKE '%CHAR%' OR c.type LIKE '%TEXT%' OR c.type LIKE 'UUID'`,
    );
    await run('BEGIN IMMEDIATE');
    for (const { table, column } of columns) {
      for (const [from, to] of this.#names) await run(`UPDATE "${table}" SET "${column}" = ? WHERE "${column}" = ?`, [to, from]);
    }
    await run('UPDATE chat_tasks SET lease_until = 4102444800000 WHERE lease_until IS NOT NULL');
    await run('COMMIT');
    await new Promise((resolve) => database.close(resolve));
  }
}
