import { constants } from 'node:os';
import type { Command } from 'commander';
import type { Context } from './command.js';
import { fixOf } from './fixes.js';
import { withSession } from './within-session.js';

/** Opens the dashboard. */
export async function dashboard(view: string | undefined, command: Command, context: Context): Promise<void> {
  const { terminal, signal } = context;
  const { readonly = false } = command.opts<{ readonly?: boolean }>();
  const { open } = await import('../tui/main.js');
  const ended = await withSession(command, context, (session) => open(session, { ...terminal, readonly, view, hintOf: fixOf, signal }));
  if (ended !== undefined) process.exitCode = 128 + constants.signals[ended];
}
