import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import type { Test } from 'tap';
import { run } from '../../../cli/program.js';
import type { Terminal } from '../../../cli/terminal.js';
import { direct } from '../../../kernel/client/direct.js';
import { until } from '../../helpers/eventually.js';
import { adminPassword, startPlatform, temporaryFolder } from '../../helpers/platform.js';
import { goodSkill, skillManifest } from '../../kernel/platform/bundles/world.js';
import { zipOf } from '../../kernel/platform/bundles/zip.js';

/** By what the rows name what is there; each value stands in a command line as it is. */
export type Ids = Readonly<Record<Named, string>>;

const named = [
  'member',
  'leaver',
  'invitation',
  'employee',
  'token',
  'login',
  'session',
  'old_session',
  'room',
  'open_room',
  'ended_room',
  'left_room',
  'note',
  'old_note',
  'message',
  'task',
  'image',
  'file',
  'approval',
  'schedule',
  'notification',
  'backup',
] as const;
export type Named = (typeof named)[number];

/** A platform with something of everything in it, to be copied. */
export interface Scene {
  /** Its `home` is what every place gets a copy of: `data`, and files that commands take. */
  folder: string;
  ids: Ids;
  /** Settings of the servers. */
  settings: Readonly<Record<string, unknown>>;
  /** The same settings for a command that is its own server. */
  env: Readonly<Record<string, string>>;
}

/** A GIF of one transparent pixel. */
const image = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

/** An engine that nodes are made on. */
export interface Engine {
  url: string;
  image: string;
}

/** Makes the scene that every place gets a copy of: so the same ids stand for the same things everywhere. */
export async function makeScene(t: Test, engine: Engine = { url: 'unix:///nowhere/docker.sock', image: 'busybox' }): Promise<Scene> {
  const folder = await temporaryFolder(t);
  const home = join(folder, 'home');
  const data_dir = join(home, 'data');
  await mkdir(data_dir, { recursive: true });
  const { url, image } = engine;
  const settings = { docker_host: url, 'nodes.image': image, 'nodes.guard_image': image, 'plugins.trusted': ['acme.greetings'] };
  const { kernel } = await startPlatform(t, { settings: { ...settings, data_dir } });
  const ids = await new Filler(kernel).fill();
  await kernel.close();
  await writeFile(join(home, 'workspace.tar'), Buffer.alloc(1_024));
  await writeFile(join(home, 'report.pdf'), '%PDF');
  const env = {
    PLATFORM_DOCKER_HOST: url,
    PLATFORM_NODE_IMAGE: image,
    PLATFORM_NODE_GUARD_IMAGE: image,
    PLATFORM_PLUGINS_TRUSTED: 'acme.greetings',
  };
  return { folder, ids, settings, env };
}

/** Adds what an author has: a plugin's bundle with its signature, by a key of their own, and a list of keys that are trusted. */
export async function addBundle({ folder }: Scene): Promise<void> {
  const home = join(folder, 'home');
  const source = join(home, 'source', 'acme.greetings');
  const zip = join(home, 'acme.greetings-0.1.0.zip');
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'config') };
  await quietly(['extension', 'new', source], env);
  await quietly(['extension', 'pack', source, '--out', zip], env);
  const { public_key } = JSON.parse(await quietly(['extension', 'sign', zip, '--json'], env)) as { public_key: string };
  await writeFile(join(home, 'keys.json'), JSON.stringify([{ name: 'Acme', public_key }]));
  await mkdir(join(home, 'bundles'));
  await cp(zip, join(home, 'bundles', 'acme.greetings-0.1.0.zip'));
}

/** Runs a command that must succeed, in this process, and gives what it wrote. */
async function quietly(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const written = text(stdout);
  const told = text(stderr);
  const code = await run(new Command('platform'), args, { env, stdin: process.stdin, stdout, stderr } as unknown as Terminal);
  stdout.end();
  stderr.end();
  if (code !== 0) throw new Error(`${args.join(' ')}: ${await told}`);
  return written;
}

type Kernel = Awaited<ReturnType<typeof startPlatform>>['kernel'];

interface Sent {
  message_id: string;
  session_id: string;
  task_id: string;
}

/** Fills an empty platform through its operations. */
class Filler {
  readonly #kernel: Kernel;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  async fill(): Promise<Ids> {
    const id = async (operation: string, input: object) => String((await this.#ask<{ id: unknown }>(operation, input)).id);
    const member = await id('members.create', { username: 'ada', nickname: 'Ada', password: adminPassword });
    const leaver = await id('members.create', { username: 'leaver', password: adminPassword });
    const { message_id, session_id, task_id } = await this.#answered('/help');
    const old = await this.#answered('/help');
    const file = await id('files.upload', { file: { name: 'report.pdf', bytes: Buffer.from('%PDF') } });
    const sent = { content: '', images: [image], files: [file], target_type: '', target_id: '' };
    const picture = await this.#ask<Sent>('chat.send', sent);
    const { images } = await this.#ask<{ images: { url: string }[] }>('messages.get', { message_id: picture.message_id });
    const note = await this.#ask<Sent>('chat.send', { content: 'On Monday', target_type: '', target_id: '' });
    const oldNote = await this.#ask<Sent>('chat.send', { content: 'On Sunday', target_type: '', target_id: '' });
    await this.#publish('acme.minutes', '1.0.0');
    const { notification_ids } = await this.#ask<{ notification_ids: number[] }>('notifications.send', { title: 'First', summary: 'One' });
    return {
      member,
      leaver,
      invitation: await id('invitations.create', { email: 'joan@example.com' }),
      employee: '2',
      token: await id('tokens.create', { name: 'script' }),
      login: await this.#login(),
      session: session_id,
      old_session: old.session_id,
      room: await this.#room('Plans', [Number(member), 2]),
      open_room: await this.#openRoomOf(Number(member)),
      ended_room: await this.#room('Over', []),
      left_room: await this.#room('Left', []),
      note: note.message_id,
      old_note: oldNote.message_id,
      message: message_id,
      task: task_id,
      image: images[0]?.url.slice(-64) as string,
      file,
      approval: await this.#denied(),
      schedule: await id('schedules.create', {
        name: 'Tidy',
        trigger_type: 'cron',
        trigger_value: '0 3 * * *',
        action: 'maintenance.cleanup',
      }),
      notification: String(notification_ids[0]),
      backup: `data/backups/${(await this.#ask<{ file: string }>('maintenance.backup', {})).file}`,
    };
  }

  async #ask<Body>(operation: string, input: object): Promise<Body> {
    const client = direct(this.#kernel);
    const found = this.#kernel.operations()[operation];
    if (!found) throw new Error(`There is no operation ${operation}`);
    return (await client.call({ id: operation, operation: found, input, options: {} })).body as Body;
  }

  /** Logs the administrator in, and gives the id of the session. */
  async #login(): Promise<string> {
    const { refresh_token } = await this.#ask<{ refresh_token: string }>('auth.login', { username: 'admin', password: adminPassword });
    return refresh_token.split('.')[0] as string;
  }

  /** Opens a room of the administrator's with others. */
  async #room(title: string, member_ids: readonly number[], visibility = 'private'): Promise<string> {
    const room = { title, target_type: 'room', target_id: '', member_ids, visibility };
    return (await this.#ask<{ id: string }>('sessions.create', room)).id;
  }

  /** Opens a room for everybody, which a member owns and the administrator is not in. */
  async #openRoomOf(member_id: number): Promise<string> {
    const session_id = await this.#room('Coffee corner', [member_id], 'open');
    await this.#ask('sessions.update_member', { session_id, member_id, role: 'owner' });
    await this.#ask('sessions.remove_member', { session_id, member_id: 1 });
    return session_id;
  }

  async #answered(content: string): Promise<Sent> {
    const sent = await this.#ask<Sent>('chat.send', { content, target_type: 'ai' });
    await this.#ended(sent.task_id);
    return sent;
  }

  async #ended(task_id: string): Promise<void> {
    await until(
      () => this.#ask<{ status: string }>('tasks.get', { task_id }),
      ({ status }) => status === 'completed',
    );
  }

  /** A tool call of an AI employee that was denied. */
  async #denied(): Promise<string> {
    const { task_id } = await this.#ask<Sent>('chat.send', { content: '/schedule 1h Look at the inbox', target_type: 'ai' });
    const pending = () => this.#ask<{ id: string }[]>('approvals.list', { status: 'pending' });
    const [asked] = await until(pending, ({ length }) => length > 0);
    await this.#ask('approvals.decide', { id: asked?.id, decision: 'deny' });
    await this.#ended(task_id);
    return asked?.id as string;
  }

  async #publish(id: string, version: string): Promise<void> {
    const bytes = zipOf(goodSkill({ ...skillManifest, id, version }));
    await this.#ask('marketplace.publish', { type: 'skill', file: { name: 'bundle.zip', bytes } });
  }
}
