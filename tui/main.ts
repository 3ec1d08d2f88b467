import type { Session } from './session.js';

export interface DashboardOptions {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  env: Readonly<Record<string, string | undefined>>;
  /** Nothing is offered that changes anything. Default false. */
  readonly?: boolean | undefined;
  /** The view that is shown first, by its name. Default: the first one. */
  view?: string | undefined;
  /** What helps against a failure, by its code. */
  hintOf: (code: string) => string | undefined;
  /** Ends it as `q` does. */
  signal: AbortSignal;
}

/**
 * The dashboard, until it is left: on a terminal that isn't dumb the full screen, else one plain frame. Gives the signal that has ended it, if
 * one has.
 *
 * @throws what it can't begin without: the installation's catalog, and who is logged in.
 */
export async function open(session: Session, options: DashboardOptions): Promise<NodeJS.Signals | undefined> {
  // React's own checks cost half of a frame's time.
  process.env.NODE_ENV ??= 'production';
  // Where it takes a terminal for a build machine's, ink draws nothing but the last frame, and no colours.
  delete process.env.CI;
  delete process.env.CONTINUOUS_INTEGRATION;
  const { stdin, stdout, env } = options;
  if (stdin.isTTY && stdout.isTTY && env.TERM !== 'dumb') return (await import('./screen.js')).showScreen(session, options);
  await (await import('./frame.js')).printFrame(session, options);
  return undefined;
}
