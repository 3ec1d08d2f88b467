import type { Command } from 'commander';
import type { CallOptions } from '../kernel/client/transport.js';
import type { Outcome } from '../kernel/contract/extension.js';
import type { Context } from './command.js';
import type { Leaf } from './flags.js';
import type { CommonFlags, Session } from './session.js';

/** Opens the way to the installation that a command line names, for as long as the work takes. */
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

/** One call within a session. */
export async function callIn(
  session: Session,
  leaf: Leaf,
  { input = {}, ...options }: { input?: object } & CallOptions = {},
): Promise<Outcome> {
  return session.transport.call({ id: leaf.id, operation: leaf.operation, input, options });
}
