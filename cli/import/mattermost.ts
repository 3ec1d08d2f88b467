import { createHash } from 'node:crypto';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Attachments, attachmentsBeside, attachmentsIn } from './attachments.js';
import { Emoji } from './emoji.js';
import { Faults, invalidExport } from './faults.js';
import { isObject, type Json, parseJson, textOf } from './json.js';
import { type Line, linesOf, readLine } from './lines.js';
import { MattermostDirectory, partOf } from './mattermost-directory.js';
import { MattermostPosts } from './mattermost-posts.js';
import type { Opened, Opening } from './opening.js';
import { TimeOrder } from './time-order.js';
import { Times } from './times.js';
import type { Export, ExportedMessage, UsernameOf } from './types.js';
import { ExportZip, isZip } from './zip.js';

/** A line with a post, and where it is. */
interface Post {
  room: string;
  created_ms: number;
  /** The time that the line has is used; otherwise that of the line before. */
  offset: number;
  length: number;
}

/** Types of lines that have nothing to import. */
const unused = new Set(['role', 'scheme', 'emoji', 'version', 'info', 'preference', 'thread_follower']);

/** Opens a Mattermost export: JSONL with its files in the folder `data` beside it, or a ZIP with both. */
export async function openMattermost(path: string, opening: Opening): Promise<Opened> {
  if (await isZip(path)) return openZipped(path, opening);
  const file = await open(path, 'r');
  return openLines({ path, file, attachments: attachmentsBeside(dirname(path)), close: () => file.close() }, opening);
}

/** Opens a ZIP, whose lines are copied to a temporary file, because they are read in another order than they have. */
async function openZipped(path: string, opening: Opening): Promise<Opened> {
  const zip = await ExportZip.open(path, opening.signal);
  const folder = await mkdtemp(join(tmpdir(), 'platform-import-'));
  let file: FileHandle | undefined;
  const close = async () => {
    await file?.close();
    await zip.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const entries = [...zip.entries.values()].filter((entry) => /^[^/]*\.jsonl$/i.test(entry.path));
    const [entry] = entries;
    if (!entry || entries.length > 1)
      throw invalidExport(
        `${path} can't be imported: it has ${entries.length} files *.jsonl at its top instead of one. Nothing was changed`,
      );
    file = await open(join(folder, 'import.jsonl'), 'wx+', 0o600);
    for await (const piece of zip.pieces(entry)) await file.write(piece);
    return await openLines({ path, file, attachments: attachmentsIn(zip), close }, opening);
  } catch (fault) {
    await close();
    throw fault;
  }
}

interface Lines {
  path: string;
  file: FileHandle;
  attachments: Attachments;
  close: () => Promise<void>;
}

async function openLines(lines: Lines, opening: Opening): Promise<Opened> {
  try {
    return { found: await new MattermostExport(lines, opening).read(), close: lines.close };
  } catch (fault) {
    await lines.close();
    throw fault;
  }
}

/** Reads a file twice: first to check all of it and find the posts, then the posts in the order of their times. */
class MattermostExport {
  readonly #lines: Lines;
  readonly #opening: Opening;
  readonly #faults: Faults;
  readonly #directory: MattermostDirectory;
  readonly #times: Times;
  readonly #posts: Post[] = [];
  readonly #first_ms = new Map<string, number>();
  #count = 0;
  #last_ms: number;
  #isBegun = false;

  constructor(lines: Lines, opening: Opening) {
    this.#lines = lines;
    this.#opening = opening;
    this.#faults = new Faults(lines.path);
    this.#directory = new MattermostDirectory(opening.remarks);
    this.#times = new Times(opening.remarks, opening.now_ms);
    this.#last_ms = opening.now_ms;
  }

  async read(): Promise<Export> {
    try {
      for await (const line of linesOf(this.#lines.file)) {
        this.#opening.signal.throwIfAborted();
        this.#line(line);
      }
    } catch (fault) {
      if (fault instanceof Error && /^line \d+ has more/.test(fault.message)) this.#faults.add('the file', fault.message);
      else throw fault;
    }
    if (!this.#isBegun) this.#faults.add('the file', 'it is empty');
    this.#faults.assertNone();
    this.#posts.sort((one, other) => one.created_ms - other.created_ms || one.offset - other.offset);
    return {
      people: this.#directory.people,
      needs_members: false,
      rooms: this.#directory.rooms(this.#first_ms, this.#opening.now_ms),
      count: this.#count,
      messages: (usernameOf) => this.#messages(usernameOf),
    };
  }

  #line({ bytes, number, offset }: Line): void {
    const place = `line ${number}`;
    let line: unknown;
    try {
      line = parseJson(bytes);
    } catch (fault) {
      this.#faults.add(place, `it ${(fault as Error).message}`);
      return;
    }
    if (!isObject(line) || typeof line.type !== 'string') {
      this.#faults.add(place, "it is no object with a 'type'");
      return;
    }
    if (!this.#isBegun) this.#assertVersion(line, place);
    this.#isBegun = true;
    if (unused.has(line.type)) return;
    const part = partOf(line);
    if (!part && isKnown(line.type)) {
      this.#faults.add(place, `it has no object '${line.type}'`);
      return;
    }
    if (part) this.#part(line.type, part, { place, offset, length: bytes.length });
    else this.#opening.remarks.add('lines of an unknown type were left out', line.type);
  }

  #assertVersion({ type, version }: Json, place: string): void {
    if (type !== 'version') this.#faults.add(place, "the first line must have the type 'version': this is no bulk export of Mattermost");
    else if (version !== 1) this.#faults.add(place, `the version must be 1, but it is ${JSON.stringify(version)}`);
  }

  #part(type: string, part: Json, { place, ...at }: { place: string; offset: number; length: number }): void {
    if (type === 'team') this.#directory.team(part);
    else if (type === 'channel') this.#directory.channel(part, this.#faults, place);
    else if (type === 'user') this.#directory.user(part, this.#faults, place);
    else if (type === 'bot') this.#directory.bot(part);
    else if (type === 'direct_channel') this.#directory.direct(part.members, part.participants);
    else if (type === 'direct_post') this.#post(part, this.#directory.direct(part.channel_members), at);
    else if (type === 'post') this.#postInChannel(part, place, at);
    else this.#opening.remarks.add('lines of an unknown type were left out', type);
  }

  #postInChannel(post: Json, place: string, at: { offset: number; length: number }): void {
    if (textOf(post.team) === '' || textOf(post.channel) === '') {
      this.#faults.add(place, "a post needs 'team' and 'channel'");
      return;
    }
    const room = this.#directory.hasChannel(post.team, post.channel);
    if (room !== undefined) {
      this.#post(post, room, at);
      return;
    }
    this.#opening.remarks.add(
      'messages of channels that are not in the export were left out',
      `${textOf(post.team)}/${textOf(post.channel)}`,
    );
  }

  #post(post: Json, room: string, at: { offset: number; length: number }): void {
    const created_ms = this.#times.of(post.create_at, this.#last_ms);
    this.#last_ms = created_ms;
    this.#posts.push({ room, created_ms, ...at });
    this.#count += 1 + (Array.isArray(post.replies) ? post.replies.length : 0);
    this.#first_ms.set(room, Math.min(created_ms, this.#first_ms.get(room) ?? created_ms));
  }

  async *#messages(usernameOf: UsernameOf): AsyncGenerator<ExportedMessage> {
    const { attachments, file } = this.#lines;
    const { remarks } = this.#opening;
    const posts = new MattermostPosts({ directory: this.#directory, attachments, emoji: await Emoji.load(), times: this.#times, remarks });
    const order = new TimeOrder();
    let seen = new Map<string, number>();
    let last_ms = -1;
    for (const { room, created_ms, offset, length } of this.#posts) {
      yield* order.until(created_ms);
      const post = partOf(parseJson(await readLine(file, { offset, length })) as Json) ?? {};
      if (created_ms !== last_ms) seen = new Map();
      last_ms = created_ms;
      const key = createHash('sha256')
        .update(`${room}\n${textOf(post.user).toLowerCase()}`)
        .digest('base64url');
      const occurrence = seen.get(key) ?? 0;
      seen.set(key, occurrence + 1);
      const [first, ...replies] = posts.messages(post, { room, created_ms, occurrence, usernameOf });
      if (first) yield first;
      order.add(replies);
    }
    yield* order.until();
  }
}

function isKnown(type: string): boolean {
  return ['team', 'channel', 'user', 'bot', 'post', 'direct_channel', 'direct_post'].includes(type);
}
