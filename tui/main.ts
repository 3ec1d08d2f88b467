import type { Session } from './session.js';

export interface DashboardOptions {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  env: Readonly<Record<string, string | undefined>>;
  /** Disables all actions that change anything. Default false. */
  readonly?: boolean | undefined;
  /** Name of the initial view. Default: the first one. */
  view?: string | undefined;
  /** Returns the fix for a failure's code. */
  hintOf: (code: string) => string | undefined;
  /** Closes the dashboard as `q` does. */
  signal: AbortSignal;
}

/**
 * Runs the dashboard until it is closed: full screen on a capable terminal, otherwise one plain frame. Returns the signal that ended it,
 * if any.
 *
 * @throws the failure of reading the installation's catalog or the logged-in member.
 */
export async function open(session: Session, options: DashboardOptions): Promise<NodeJS.Signals | undefined> {
  // React's development checks take half of a frame's time.
  process.env.NODE_ENV ??= 'production';
  // If these are set, ink assumes a CI machine and draws only the last frame, without colours.
  delete process.env.CI;
  delete process.env.CONTINUOUS_INTEGRATION;
  const { stdin, stdout, env } = options;
  if (stdin.isTTY && stdout.isTTY && env.TERM !== 'dumb') return (await import('./screen.js')).showScreen(session, options);
  await (await import('./frame.js')).printFrame(session, options);
  return undefined;
}
