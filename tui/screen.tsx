import { render, useInput } from 'ink';
import { useRef, useSyncExternalStore } from 'react';
import { App, type AppProps } from './app.js';
import { KeyQueue, KeyReader } from './key-reader.js';
import type { Size } from './kit/context.js';
import type { DashboardOptions } from './main.js';
import { Model } from './model.js';
import { Restorer } from './restorer.js';
import type { Session } from './session.js';
import { Store } from './store.js';

interface RootProps extends Omit<AppProps, 'size'> {
  window: Store<Size>;
}

/** Draws the dashboard on a terminal, and passes on its size and keys. */
function Root({ window, ...rest }: RootProps) {
  const size = useSyncExternalStore(window.subscribe, window.get);
  const { keys } = rest.model.dashboard;
  const queue = useRef<KeyQueue>(undefined);
  queue.current ??= new KeyQueue((key) => keys.press(key));
  const reader = useRef<KeyReader>(undefined);
  reader.current ??= new KeyReader();
  useInput((input, key) => queue.current?.add(reader.current?.read(input, key) ?? []));
  return <App {...rest} size={size} />;
}

/** Switches to the alternate screen with bracketed paste, and clears it. */
const enter = '\u001B[?1049h\u001B[?2004h\u001B[2J\u001B[H';
const leave = '\u001B[?25h\u001B[?2004l\u001B[?1049l';
const clear = '\u001B[2J\u001B[H';

type Streams = Pick<DashboardOptions, 'stdin' | 'stdout' | 'stderr'>;

/** Runs the full-screen dashboard until it is closed; returns the signal that ended it, if any. */
export async function showScreen(session: Session, options: DashboardOptions): Promise<NodeJS.Signals | undefined> {
  const { stdout, env, readonly = false, hintOf } = options;
  const model = await Model.open({ session, readonly, coloured: isColoured(stdout, env), hintOf, clock: Date.now });
  try {
    return await draw(model, { ...options, view: model.viewNamed(options.view) });
  } finally {
    await model.close();
  }
}

async function draw(model: Model, options: DashboardOptions): Promise<NodeJS.Signals | undefined> {
  const { stdin, stdout, stderr, view } = options;
  const window = new Store(sizeOf(stdout));
  const end = new EndWatch(options.signal);
  // Ink first redraws at the old size; the remains are cleared afterwards.
  const resized = () =>
    setImmediate(() => {
      stdout.write(clear);
      window.set(sizeOf(stdout));
    });
  const restorer = new Restorer({ stdin, stdout, leave });
  const left = () => restore(options, restorer);
  process.once('exit', left);
  stdout.write(enter);
  const app = render(<Root model={model} window={window} first={view} quit={end.quit} />, { stdin, stdout, stderr, exitOnCtrlC: false });
  stdout.on('resize', resized);
  try {
    return await Promise.race([end.reached, app.waitUntilExit().then(() => undefined)]);
  } finally {
    end.dispose();
    stdout.off('resize', resized);
    app.unmount();
    process.off('exit', left);
    left();
  }
}

/** Returns the usable size. The last line stays free: a frame as high as the screen would scroll it. */
function sizeOf({ columns, rows }: NodeJS.WriteStream): Size {
  return { columns: columns || 80, rows: Math.max(1, (rows || 24) - 1) };
}

function restore({ stdin, stdout }: Streams, restorer: Restorer): void {
  // After a hang-up there is no terminal any more.
  if (!stdin.destroyed) stdin.setRawMode?.(false);
  if (!stdout.destroyed) stdout.write(leave);
  restorer.dismiss();
}

const signals = ['SIGTERM', 'SIGHUP'] as const;

/** Waits for the end of the dashboard: a key, a signal, or a bug, whose error is thrown. */
class EndWatch {
  readonly reached: Promise<NodeJS.Signals | undefined>;
  readonly #signal: AbortSignal;
  #end: (signal: NodeJS.Signals | undefined) => void = () => undefined;
  #fail: (thrown: unknown) => void = () => undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    this.reached = new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
    });
    signal.addEventListener('abort', this.quit, { once: true });
    for (const name of signals) process.on(name, this.#onSignal);
    process.on('uncaughtException', this.#onCrash);
    process.on('unhandledRejection', this.#onCrash);
  }

  readonly quit = (): void => this.#end(undefined);

  readonly #onSignal = (signal: NodeJS.Signals): void => this.#end(signal);

  readonly #onCrash = (thrown: unknown): void => this.#fail(thrown);

  dispose(): void {
    this.#signal.removeEventListener('abort', this.quit);
    for (const name of signals) process.off(name, this.#onSignal);
    process.off('uncaughtException', this.#onCrash);
    process.off('unhandledRejection', this.#onCrash);
  }
}

/** Returns whether text may be coloured (https://no-color.org). */
function isColoured({ isTTY }: { isTTY?: boolean }, env: Readonly<Record<string, string | undefined>>): boolean {
  return isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}
