import type Docker from 'dockerode';
import { within } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';

/** How long a registration waits for an engine, in ms. */
const patience_ms = 3_000;

/** Fails with `engine_unavailable` if an engine says nothing for three seconds, and with what is wrong if it can't be asked. */
export async function answers(docker: Docker): Promise<void> {
  await within<unknown>(patience_ms, docker.ping(), () => {
    throw fail('engine_unavailable', 'Its engine has not answered yet');
  });
}
