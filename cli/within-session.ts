import type { Command } from 'commander';
import type { CallOptions } from '../kernel/client/transport.js';
import type { Outcome } from '../kernel/contract/extension.js';
import type { Context } from './command.js';
import type { Leaf } from './flags.js';
import type { CommonFlags, Session } from './session.js';

/** Opens a session with the installation that the command line names, and closes it after the work. */
export async function withSession<T>(
  command: Command,
  { terminal, signal }: Pick<Context, 'terminal' | 'signal'>,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const { openSession } = await import('./session.js');
  const session = await openSession(command.optsWithGlobals<CommonFlags>(), terminal, signal);
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

/** Calls an operation within a session. */
export async function callIn(
  session: Session,
  leaf: Leaf,
  { input = {}, ...options }: { input?: object } & CallOptions = {},
): Promise<Outcome> {
  return session.transport.call({ id: leaf.id, operation: leaf.operation, input, options });
}
