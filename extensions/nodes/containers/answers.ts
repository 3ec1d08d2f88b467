import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { fail } from '../codes.js';

/** How long a registration waits for an engine, in ms. */
const patience_ms = 3_000;

/** Fails with `engine_unavailable` where an engine says nothing for three seconds, and with whatever is wrong where it can't be asked. */
export async function answers(docker: Docker): Promise<void> {
  const abort = new AbortController();
  const late = sleep(patience_ms, undefined, { signal: abort.signal }).then(() => {
    throw fail('engine_unavailable', 'Its engine has not answered yet');
  });
  try {
    await Promise.race([docker.ping(), late]);
  } finally {
    late.catch(() => undefined);
    abort.abort();
  }
}
