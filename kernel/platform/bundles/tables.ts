import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Contributions } from '../../contract/manifest.js';
import { locatePackage } from '../sandbox/packages.js';
import { fail } from './codes.js';
import type { TablesRequest } from './tables-child.js';

const limit_ms = 15_000;
const max_bytes = 4 * 1024 * 1024;

export interface Evaluated {
  contributes: Contributions;
  /** The codes of the table of failures; undefined if there is none. */
  codes?: readonly string[] | undefined;
}

/**
 * Evaluates an author's tables, each a bundle that exports `operations`, `commands` or `panels`, and that of failure codes. A table is
 * data, but its file is code, and not necessarily written by the person who packs it: so it runs in a restricted process.
 *
 * @throws `pack_failed`
 */
export async function evaluateTables(codes: readonly string[], failures?: string): Promise<Evaluated> {
  const joi = locatePackage('joi', import.meta.url);
  const child = spawn(process.execPath, commandLine(joi.folders), { cwd: '/', env: {}, stdio: ['pipe', 'ignore', 'pipe', 'pipe'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), limit_ms);
  const [, , stderr, pipe] = child.stdio as unknown as [unknown, unknown, Readable, Readable];
  child.stdin?.on('error', () => undefined);
  const request: TablesRequest = { joi: joi.main, codes, failures };
  child.stdin?.end(JSON.stringify(request));
  try {
    const [answer, errors, ended] = await Promise.all([collect(pipe, child), collect(stderr, child), once(child, 'close')]);
    return evaluatedIn(answer, errors, ended as [number | null, NodeJS.Signals | null]);
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
}

function evaluatedIn(answer: string, errors: string, [code, signal]: [number | null, NodeJS.Signals | null]): Evaluated {
  const { contributes, codes, error } = parsed(answer);
  if (typeof contributes === 'object' && contributes !== null) return { contributes, codes: Array.isArray(codes) ? codes : undefined };
  const ended = signal === null ? `its process ended with exit code ${code}` : `it took too long or too much (${signal})`;
  const why = error ?? /^\w*Error: .*$/m.exec(errors)?.[0] ?? ended;
  throw fail('pack_failed', `The tables of operations, commands and panels can't be evaluated: ${String(why).slice(0, 500)}`);
}

/** Parses the child's answer; empty if a table ended the process early. */
function parsed(answer: string): { contributes?: Contributions | null; codes?: string[]; error?: unknown } {
  try {
    return (JSON.parse(answer) ?? {}) as { contributes?: Contributions; codes?: string[]; error?: unknown };
  } catch {
    return {};
  }
}

/** Collects a stream of the child; kills it if the output is too large. */
async function collect(stream: Readable, child: ChildProcess): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of stream) {
    bytes += (piece as Buffer).length;
    if (bytes <= max_bytes) pieces.push(piece as Buffer);
    else child.kill('SIGKILL');
  }
  return Buffer.concat(pieces).toString();
}

function commandLine(packages: readonly string[]): string[] {
  const kernel = fileURLToPath(new URL('../../', import.meta.url)).slice(0, -1);
  const platform = fileURLToPath(new URL('../../../../package.json', import.meta.url));
  const readable = new Set([kernel, platform, ...packages]);
  // The flag was renamed; each Node version rejects the other name.
  const permission = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission';
  return [
    permission,
    ...[...readable].map((path) => `--allow-fs-read=${path}`),
    '--max-old-space-size=128',
    '--disable-warning=ExperimentalWarning',
    fileURLToPath(new URL('tables-child.js', import.meta.url)),
  ];
}
