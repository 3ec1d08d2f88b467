import { setTimeout as sleep } from 'node:timers/promises';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

/** A server that does not answer in time forgets the session by itself. */
const ending_ms = 1_000;

/** Tells a server over HTTP that its session has ended; servers need not support it. */
export async function endSession(transport: Transport | undefined): Promise<void> {
  if (transport?.sessionId === undefined || !isTerminable(transport)) return;
  const ended = transport.terminateSession().catch(() => undefined);
  await Promise.race([ended, sleep(ending_ms, undefined, { ref: false })]);
}

function isTerminable(transport: Transport): transport is Transport & { terminateSession(): Promise<void> } {
  return 'terminateSession' in transport;
}
