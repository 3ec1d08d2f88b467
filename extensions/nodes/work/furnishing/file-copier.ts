import { randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import { fail } from '../../codes.js';
import type { FurnishedFile, Furnishing, NodesService } from '../../contract.js';
import type { CommandRunner } from '../command-runner.js';
import { accountOf, type NodeUser } from '../folders.js';
import type { NodeContainer } from '../node-container.js';
import { PerNodeLimiter } from '../per-node-limiter.js';
import { NodeWorkspace, type WorkspaceParts } from '../tools/node-workspace.js';
import * as scripts from './scripts.js';
import { tarOf } from './tar.js';

export interface FileCopierParts extends WorkspaceParts {
  execs: Pick<CommandRunner, 'runFor'>;
}

const max_files = 2_000;
const max_bytes = 200 * 1024 * 1024;
/** Size of a transfer, held in memory. */
const piece_bytes = 4 * 1024 * 1024;
const step_ms = 60_000;
const discard_ms = 10_000;
/** Limit of the script's output in bytes; the rest is dropped. */
const max_output_bytes = 4_096;

/** Copies files to nodes for other extensions. */
export class FileCopier implements Pick<NodesService, 'furnish'> {
  readonly #parts: FileCopierParts;
  /** Serialises copies to a node: later callers find the files there. */
  readonly #limiter = new PerNodeLimiter({ max: 1, max_waiting: 64, max_wait_ms: 120_000 });

  constructor(parts: FileCopierParts) {
    this.#parts = parts;
  }

  async furnish(wanted: Furnishing, signal: AbortSignal): Promise<{ folder: string }> {
    assertPlaced(wanted);
    assertBounded(wanted.files);
    const { node_id, member_id, room, employee_id } = wanted;
    const workspace = new NodeWorkspace(this.#parts, employee_id);
    return workspace.work(
      { node_id, asker: { member_id, room: room === undefined ? undefined : { number: room } } },
      async ({ place, nodeUser }) => {
        const runner = new ScriptRunner(this.#parts.execs, { place, nodeUser, signal });
        const target = targetOf(nodeUser, wanted);
        if (!(await runner.isComplete(target))) {
          await this.#limiter.run(node_id, signal, async () => {
            if (!(await runner.isComplete(target))) await runner.copy(target, wanted.files);
          });
        }
        return { folder: target.folder };
      },
    );
  }
}

/** Destination of files. */
interface Target {
  /** Folder of this kind of files. */
  kind_folder: string;
  folder: string;
  content_hash: string;
}

function targetOf(nodeUser: NodeUser, { folder, content_hash }: Furnishing): Target {
  const parent = posix.join(accountOf(nodeUser).home, folder);
  const digits = content_hash.replace(/^sha256:/, '').slice(0, 16);
  return { kind_folder: posix.dirname(parent), folder: posix.join(parent, digits), content_hash };
}

/** Runs the scripts in one container as one member. */
class ScriptRunner {
  readonly #execs: FileCopierParts['execs'];
  readonly #at: { place: NodeContainer; nodeUser: NodeUser; signal: AbortSignal };

  constructor(execs: FileCopierParts['execs'], at: { place: NodeContainer; nodeUser: NodeUser; signal: AbortSignal }) {
    this.#execs = execs;
    this.#at = at;
  }

  async isComplete({ folder, content_hash }: Target): Promise<boolean> {
    return (await this.#run(scripts.look, [folder, content_hash])) === 'there';
  }

  /** Copies files in pieces, so that only one piece is in memory. A failed copy is cleaned up if the node is reachable. */
  async copy({ kind_folder, folder, content_hash }: Target, files: readonly FurnishedFile[]): Promise<void> {
    const tar = posix.join(posix.dirname(folder), `.${randomUUID()}.tar`);
    try {
      let done = 0;
      for await (const piece of inPieces(tarOf(files))) {
        await this.#run(scripts.append, [tar, String(piece.length), String(done)], { stdin: piece });
        done += piece.length;
      }
      await this.#run(scripts.unpack, [tar, folder, content_hash, kind_folder]);
    } catch (fault) {
      await this.#run(scripts.discard, [tar], { signal: AbortSignal.timeout(discard_ms) }).catch(() => undefined);
      throw fault;
    }
  }

  async #run(script: string, args: readonly string[], { stdin, signal = this.#at.signal }: { stdin?: Buffer; signal?: AbortSignal } = {}) {
    const { place, nodeUser } = this.#at;
    const parts: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
    const argv = ['/bin/sh', '-c', script, 'furnish', ...args];
    const folder = accountOf(nodeUser).home;
    const command = { argv, folder, timeout_ms: step_ms, max_bytes: max_output_bytes, ...(stdin ? { stdin } : {}) };
    const output = ({ stream, bytes }: { stream: 'stdout' | 'stderr'; bytes: Buffer }) => void parts[stream].push(bytes);
    const said = (stream: 'stdout' | 'stderr') => Buffer.concat(parts[stream]).toString().trim();
    const { exit_code, how } = await this.#execs.runFor(nodeUser, place, { command, watch: { signal, output } });
    signal.throwIfAborted();
    if (how !== 'exit') throw copyFailed(place, `it took longer than ${step_ms / 1000} s`);
    if (exit_code !== 0) throw copyFailed(place, said('stderr').slice(-300) || `exit code ${exit_code}`);
    return said('stdout');
  }
}

function copyFailed({ node }: NodeContainer, why: string) {
  return fail('command_failed', `Could not copy files to the node '${node.name}': ${why}`);
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

/** Validates the destination: old files next to the folder are deleted, so it must not be the AI employee's own folder. */
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
