import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { main, script } from '../cli/shell.js';
import { Child } from './child.js';
import { cpuTime } from './cpu-time.js';
import { median, percentile } from './statistics.js';

const events_per_second = 1_000;
const keys = 100;
const between_keys_ms = 150;
const warm_up_ms = 3_000;
/** Without a key. */
const shown_ms = 10_000;
const max_wait_ms = 20_000;
const back = '\u001B';

/** How soon a key shows, and what the dashboard takes of a core, while its journal shows 1,000 events a second. */
export async function dashboard(): Promise<Record<string, unknown>> {
  const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
  const data_dir = join(folder, 'data');
  const { child: server } = await Child.start('./dashboard-server.js', [data_dir, String(events_per_second)]);
  const terminal = new Terminal({ ...process.env, PLATFORM_DATA_DIR: data_dir, HOME: folder, XDG_CONFIG_HOME: folder, TERM: 'xterm' });
  try {
    await terminal.shows('TYPE');
    await pause(warm_up_ms);
    return await measured(terminal);
  } finally {
    await terminal.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measured(terminal: Terminal): Promise<Record<string, unknown>> {
  const shown = await used(terminal, () => pause(shown_ms));
  const times: number[] = [];
  const pressed = await used(terminal, async () => {
    for (let n = 0; n < keys; n += 1) {
      times.push(n % 2 === 0 ? await terminal.press('?', 'next view') : await terminal.press(back, 'TYPE'));
      // Not in step with what draws.
      await pause(between_keys_ms * (0.5 + Math.random()));
    }
  });
  return {
    events_per_s: shown.events_per_s,
    cpu_percent: shown.cpu_percent,
    cpu_percent_with_keys: pressed.cpu_percent,
    keys,
    key_to_frame_ms_p50: median(times),
    key_to_frame_ms_p99: percentile(times, 0.99),
    load_average: loadavg()[0],
  };
}

/** Events that the dashboard received, and its share of a core, meanwhile. */
async function used(terminal: Terminal, meanwhile: () => Promise<unknown>): Promise<{ events_per_s: number; cpu_percent: number }> {
  const before = { at: performance.now(), cpu_us: cpuTime(terminal.pid), events: terminal.events };
  await meanwhile();
  const seconds = (performance.now() - before.at) / 1000;
  return {
    events_per_s: (terminal.events - before.events) / seconds,
    cpu_percent: ((cpuTime(terminal.pid) - before.cpu_us) / 1e6 / seconds) * 100,
  };
}

/** The dashboard on a terminal of its own, 80 by 24. */
class Terminal {
  readonly #child: ChildProcess;
  #seen = '';

  constructor(env: NodeJS.ProcessEnv) {
    const command = `stty cols 80 rows 24; exec '${process.execPath}' '${main}' tui journal`;
    this.#child = spawn(script, ['-qfec', command, '/dev/null'], { env: { ...env, SHELL: '/bin/sh' }, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      // More than any frame.
      this.#seen = (this.#seen + piece).slice(-20_000);
    });
  }

  /** Process id of the dashboard. */
  get pid(): number {
    const { pid } = this.#child;
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
  }

  /** How many events it says that it has heard of. */
  get events(): number {
    return Number(
      this.#seen
        .match(/[\d,]+(?= events)/g)
        ?.at(-1)
        ?.replaceAll(',', ''),
    );
  }

  /** Presses a key; gives how many milliseconds went by until what it writes has that. */
  async press(key: string, wanted: string): Promise<number> {
    this.#seen = '';
    const begun = performance.now();
    this.#child.stdin?.write(key);
    await this.shows(wanted);
    return performance.now() - begun;
  }

  async shows(wanted: string): Promise<void> {
    const signal = AbortSignal.timeout(max_wait_ms);
    while (!this.#seen.includes(wanted)) await once(this.#child.stdout as Readable, 'data', { signal });
  }

  async close(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.stdin?.write('q');
    await ended;
  }
}
