import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { fail } from '../codes.js';
import { singleLine, statusOf } from '../engines/failures.js';
import { ExecStream } from '../work/exec-stream.js';
import { framesOf } from '../work/frames.js';

/** Limit in bytes; the engine's messages are shorter. */
const max_message_bytes = 1_024;

/**
 * Starts an image's shell once as its own user, because the init process of a container would keep restarting a broken
 * shell.
 *
 * @throws `container_failed` with the engine's message
 */
export async function assertShellStarts(container: Docker.Container, image: string): Promise<void> {
  const found = await startErrorOf(container);
  if (found === undefined) return;
  const words = (await lastLine(container)) || found;
  const why = /exec format error/i.test(words) ? `${words}: the image was built for another processor architecture` : words;
  throw fail('container_failed', `The image '${image}' can't be kept running: its shell does not start: ${why}`);
}

/** Returns the engine's message if the shell does not start; undefined if it does. */
async function startErrorOf(container: Docker.Container): Promise<string | undefined> {
  let stream: ExecStream | undefined;
  try {
    stream = await ExecStream.start({ container }, { argv: ['/bin/sh', '-c', ':'], folder: '/' });
    let output = '';
    for await (const { bytes } of stream.frames()) output = (output + bytes.toString()).slice(0, max_message_bytes);
    const code = await stream.exitCode();
    return code === 0 ? undefined : singleLine(output) || `it ends with exit code ${code}`;
  } catch (fault) {
    const status = statusOf(fault);
    if (status === undefined || status === 404) throw fault;
    return singleLine((fault as Error).message);
  } finally {
    stream?.destroy();
  }
}

/** Reads the last line of the init process, which ends before an engine can inspect it. */
async function lastLine(container: Docker.Container): Promise<string> {
  const log = await container.logs({ stdout: true, stderr: true, tail: 1, follow: false });
  let said = '';
  for await (const { bytes } of framesOf(Readable.from([log]))) said += bytes.toString();
  return singleLine(said);
}
