import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { fail } from '../codes.js';
import { plain, statusOf } from '../engines/failures.js';
import { ExecStream } from '../work/exec-stream.js';
import { framesOf } from '../work/frames.js';

/** In bytes; the engine's words are shorter. */
const max_words = 1_024;

/**
 * Starts an image's shell once, as its own user: the init process of a container runs well where that is impossible, and
 * starts it again and again.
 *
 * @throws `container_failed` with the engine's words
 */
export async function assertShellStarts(container: Docker.Container, image: string): Promise<void> {
  const found = await wordsOf(container);
  if (found === undefined) return;
  const words = (await lastLine(container)) || found;
  const why = /exec format error/i.test(words) ? `${words}: its programs are for another kind of processor than the engine's` : words;
  throw fail('container_failed', `The image '${image}' can't be kept running: its shell does not start: ${why}`);
}

/** Returns the engine's words if the shell does not start; undefined if it does. */
async function wordsOf(container: Docker.Container): Promise<string | undefined> {
  let stream: ExecStream | undefined;
  try {
    stream = await ExecStream.start({ container }, { argv: ['/bin/sh', '-c', ':'], folder: '/' });
    let said = '';
    for await (const { bytes } of stream.frames()) said = (said + bytes.toString()).slice(0, max_words);
    const code = await stream.exitCode();
    return code === 0 ? undefined : plain(said) || `it ends with exit code ${code}`;
  } catch (fault) {
    const status = statusOf(fault);
    if (status === undefined || status === 404) throw fault;
    return plain((fault as Error).message);
  } finally {
    stream?.destroy();
  }
}

/** Reads the last line of the init process, which ends before an engine can inspect it. */
async function lastLine(container: Docker.Container): Promise<string> {
  const log = await container.logs({ stdout: true, stderr: true, tail: 1, follow: false });
  let said = '';
  for await (const { bytes } of framesOf(Readable.from([log]))) said += bytes.toString();
  return plain(said);
}
