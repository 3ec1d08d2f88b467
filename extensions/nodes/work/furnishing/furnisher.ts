import { randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import { fail } from '../../codes.js';
import type { FurnishedFile, Furnishing, NodesService } from '../../contract.js';
import type { Execs } from '../execs.js';
import { type Lodger, lodgingOf } from '../folders.js';
import { PerNodeLimiter } from '../per-node-limiter.js';
import type { Place } from '../place.js';
import { Site, type SiteParts } from '../tools/site.js';
import * as scripts from './scripts.js';
import { tarOf } from './tar.js';

export interface FurnisherParts extends SiteParts {
  execs: Pick<Execs, 'runFor'>;
}

const max_files = 2_000;
const max_bytes = 200 * 1024 * 1024;
/** What is sent at once, and held in memory. */
const piece_bytes = 4 * 1024 * 1024;
const step_ms = 60_000;
const discard_ms = 10_000;
/** What its answers may have, in bytes; the rest is dropped. */
const max_said = 4_096;

/** Puts files on nodes, for whoever brings some. */
export class Furnisher implements Pick<NodesService, 'furnish'> {
  readonly #parts: FurnisherParts;
  /** One copies to a node at a time: who waited finds the same files there. */
  readonly #limiter = new PerNodeLimiter({ max: 1, max_waiting: 64, max_wait_ms: 120_000 });

  constructor(parts: FurnisherParts) {
    this.#parts = parts;
  }

  async furnish(wanted: Furnishing, signal: AbortSignal): Promise<{ folder: string }> {
    assertPlaced(wanted);
    assertBounded(wanted.files);
    const { node_id, member_id, employee_id } = wanted;
    const site = new Site(this.#parts, employee_id);
    return site.work({ node_id, asker: { member_id } }, async ({ place, lodger }) => {
      const desk = new Desk(this.#parts.execs, { place, lodger, signal });
      const target = targetOf(lodger, wanted);
      if (!(await desk.has(target))) {
        await this.#limiter.run(node_id, signal, async () => {
          if (!(await desk.has(target))) await desk.put(target, wanted.files);
        });
      }
      return { folder: target.folder };
    });
  }
}

/** Where files come to lie. */
interface Target {
  /** That of all their kind. */
  shelf: string;
  folder: string;
  content_hash: string;
}

function targetOf(lodger: Lodger, { folder, content_hash }: Furnishing): Target {
  const parent = posix.join(lodgingOf(lodger).home, folder);
  const digits = content_hash.replace(/^sha256:/, '').slice(0, 16);
  return { shelf: posix.dirname(parent), folder: posix.join(parent, digits), content_hash };
}

/** Works in one container as one member. */
class Desk {
  readonly #execs: FurnisherParts['execs'];
  readonly #at: { place: Place; lodger: Lodger; signal: AbortSignal };

  constructor(execs: FurnisherParts['execs'], at: { place: Place; lodger: Lodger; signal: AbortSignal }) {
    this.#execs = execs;
    this.#at = at;
  }

  async has({ folder, content_hash }: Target): Promise<boolean> {
    return (await this.#run(scripts.look, [folder, content_hash])) === 'there';
  }

  /** In pieces, so that no more than one is in memory. What fails leaves nothing, as long as the node can be reached. */
  async put({ shelf, folder, content_hash }: Target, files: readonly FurnishedFile[]): Promise<void> {
    const tar = posix.join(posix.dirname(folder), `.${randomUUID()}.tar`);
    try {
      let done = 0;
      for await (const piece of inPieces(tarOf(files))) {
        await this.#run(scripts.append, [tar, String(piece.length), String(done)], { stdin: piece });
        done += piece.length;
      }
      await this.#run(scripts.unpack, [tar, folder, content_hash, shelf]);
    } catch (fault) {
      await this.#run(scripts.discard, [tar], { signal: AbortSignal.timeout(discard_ms) }).catch(() => undefined);
      throw fault;
    }
  }

  async #run(script: string, args: readonly string[], { stdin, signal = this.#at.signal }: { stdin?: Buffer; signal?: AbortSignal } = {}) {
    const { place, lodger } = this.#at;
    const parts: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
    const argv = ['/bin/sh', '-c', script, 'furnish', ...args];
    const folder = lodgingOf(lodger).home;
    const command = { argv, folder, timeout_ms: step_ms, max_bytes: max_said, ...(stdin ? { stdin } : {}) };
    const output = ({ stream, bytes }: { stream: 'stdout' | 'stderr'; bytes: Buffer }) => void parts[stream].push(bytes);
    const said = (stream: 'stdout' | 'stderr') => Buffer.concat(parts[stream]).toString().trim();
    const { exit_code, how } = await this.#execs.runFor(lodger, place, { command, watch: { signal, output } });
    signal.throwIfAborted();
    if (how !== 'exit') throw refused(place, `it took longer than ${step_ms / 1000} s`);
    if (exit_code !== 0) throw refused(place, said('stderr').slice(-300) || `exit code ${exit_code}`);
    return said('stdout');
  }
}

function refused({ node }: Place, why: string) {
  return fail('command_failed', `Files could not be put on the node '${node.name}': ${why}`);
}

async function* inPieces(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let length = 0;
  for await (const part of source) {
    waiting.push(part);
    length += part.length;
    if (length < piece_bytes) continue;
    yield Buffer.concat(waiting);
    [waiting, length] = [[], 0];
  }
  if (length > 0) yield Buffer.concat(waiting);
}

/** What is old is looked for beside the folder: were that the AI employee's own, its files would go. */
function assertPlaced({ folder, content_hash }: Furnishing): void {
  if (/^\.?\w[\w-]*\/\w[\w.-]*$/.test(folder) && /^sha256:[0-9a-f]{64}$/.test(content_hash)) return;
  throw new Error(`${JSON.stringify(`${folder} ${content_hash}`.slice(0, 300))} is no kind, name and hash of files for a node`);
}

function assertBounded(files: readonly FurnishedFile[]): void {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (files.length > max_files || bytes > max_bytes) throw new Error(`${files.length} files with ${bytes} bytes are too many for a node`);
  const unsafe = files.find(({ path }) => /^\/|(^|\/)\.\.?(\/|$)|\/\/|[\p{Cc}]|^$/u.test(path) || Buffer.byteLength(path) > 400);
  if (unsafe) throw new Error(`The path ${JSON.stringify(unsafe.path.slice(0, 200))} can't be put on a node`);
}
