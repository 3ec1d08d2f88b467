import { PassThrough, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { render } from 'ink';
import { App } from './app.js';
import type { Size } from './kit/context.js';
import type { DashboardOptions } from './main.js';
import { Model } from './model.js';
import type { Session } from './session.js';

const rows = 24;
const poll_ms = 25;
/** Limit of the wait for data; what is missing then is drawn as loading. */
const max_ms = 5_000;

/** Prints one frame as plain text once its data is loaded. */
export async function printFrame(session: Session, options: DashboardOptions): Promise<void> {
  const { stdout, hintOf, signal } = options;
  const model = await Model.open({ session, readonly: true, coloured: false, hintOf, clock: Date.now });
  try {
    const columns = stdout.columns || Number(options.env.COLUMNS) || 80;
    stdout.write(plain(await frameOf(model, { size: { columns, rows }, view: model.viewNamed(options.view), signal })));
  } finally {
    await model.close();
  }
}

async function frameOf(
  model: Model,
  { size, view, signal }: { size: Size; view: string | undefined; signal: AbortSignal },
): Promise<string> {
  let last = '';
  const sink = new Writable({
    write(frame, _encoding, done) {
      // Ink writes an empty string at its end to flush; keep the last frame.
      last = String(frame) || last;
      done();
    },
  });
  const stdout = Object.assign(sink, { columns: size.columns, rows: size.rows }) as unknown as NodeJS.WriteStream;
  const stdin = new PassThrough() as unknown as NodeJS.ReadStream;
  const app = render(<App model={model} size={size} first={view} quit={() => undefined} />, {
    stdin,
    stdout,
    debug: true,
    patchConsole: false,
  });
  for (let waited = 0; !isComplete(model) && waited < max_ms && !signal.aborted; waited += poll_ms) await sleep(poll_ms);
  app.unmount();
  return last;
}

/** Returns whether all data is loaded and the connection is settled. */
function isComplete({ isSettled, live }: Model): boolean {
  return isSettled && live.state.state !== 'waiting';
}

function plain(frame: string): string {
  return `${stripVTControlCharacters(frame)
    .replace(/[ \t]+$/gm, '')
    .trimEnd()}\n`;
}
