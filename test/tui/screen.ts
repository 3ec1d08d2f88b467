import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { main, type Shell } from '../cli/shell.js';
import { until } from '../helpers/eventually.js';

const run = promisify(execFile);

export interface ScreenOptions {
  /** The command line after `platform`. Default: `tui`. */
  args?: readonly string[];
  columns?: number;
  rows?: number;
  env?: Readonly<Record<string, string>>;
}

/** A terminal in tmux in which the program runs, until the test's end. */
export class Screen {
  readonly #socket: string;

  private constructor(socket: string) {
    this.#socket = socket;
  }

  /** Starts the program in a terminal of its own. */
  static async open(t: Test, shell: Shell, { args = ['tui'], columns = 80, rows = 24, env = {} }: ScreenOptions = {}): Promise<Screen> {
    const screen = new Screen(`platform-${randomUUID()}`);
    const command = [process.execPath, main, ...args].map(quoted).join(' ');
    // Keeps the final screen and the exit code visible.
    const line = `echo before; ${command}; echo "left with $?"; exec sleep 3600`;
    const variables = Object.entries({ ...shell.env, ...env }).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    t.teardown(() => screen.#tmux('kill-server').catch(() => undefined));
    const size = ['-x', String(columns), '-y', String(rows)];
    await screen.#tmux('-f', '/dev/null', 'new-session', '-d', ...size, ...variables, '-c', shell.env.HOME ?? '/', 'sh', '-c', line);
    return screen;
  }

  /** Presses keys, by tmux's names (`Enter`, `Escape`, `C-d`) or as they are, one after the other. */
  async keys(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#tmux('send-keys', key);
  }

  /** Types a text. */
  async type(text: string): Promise<void> {
    await this.#tmux('send-keys', '-l', text);
  }

  /** Pastes a text; the terminal marks it where the program has asked for that. */
  async paste(text: string): Promise<void> {
    await this.#tmux('set-buffer', '--', text);
    await this.#tmux('paste-buffer', '-p');
  }

  /** Goes to a view of the dashboard by its name. */
  async go(name: string): Promise<void> {
    await this.keys(':');
    await this.shows(/^:_/m);
    await this.type(name);
    await this.keys('Enter');
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#tmux('resize-window', '-x', String(columns), '-y', String(rows));
  }

  /** Returns the lines of the screen; with `escapes`, including colours. */
  async lines({ escapes = false } = {}): Promise<string[]> {
    const { stdout } = await this.#tmux('capture-pane', '-p', ...(escapes ? ['-e'] : []));
    return stdout.replace(/\n$/, '').split('\n');
  }

  /** Waits until the screen has that, and gives its lines. */
  async shows(wanted: string | RegExp, limit_ms = 60_000): Promise<string[]> {
    const has = (lines: string[]) => (typeof wanted === 'string' ? lines.join('\n').includes(wanted) : wanted.test(lines.join('\n')));
    try {
      return await until(() => this.lines(), has, limit_ms);
    } catch {
      throw new Error(`The screen has not come to show ${wanted}:\n${(await this.lines()).join('\n')}`);
    }
  }

  /** The process that runs in it. */
  async pid(): Promise<number> {
    const { stdout } = await this.#tmux('list-panes', '-F', '#{pane_pid}');
    const { stdout: children } = await run('ps', ['-o', 'pid=', '--ppid', stdout.trim()]);
    return Number(children.trim().split('\n')[0]);
  }

  /** Returns the final terminal state: its cursor, and whether the alternate screen is active. */
  async state(): Promise<{ cursor: boolean; alternate: boolean }> {
    const { stdout } = await this.#tmux('display-message', '-p', '#{cursor_flag} #{alternate_on}');
    const [cursor, alternate] = stdout.trim().split(' ');
    return { cursor: cursor === '1', alternate: alternate === '1' };
  }

  /** The terminal's own settings: `echo` and `icanon` are off while keys are read one by one. */
  async settings(): Promise<string> {
    const { stdout } = await this.#tmux('display-message', '-p', '#{pane_tty}');
    return (await run('stty', ['-a', '-F', stdout.trim()])).stdout;
  }

  #tmux(...args: readonly string[]) {
    // The test runner's colour settings must not affect the program.
    const { FORCE_COLOR: _force, NO_COLOR: _none, ...env } = process.env;
    return run('tmux', ['-L', this.#socket, ...args], { env });
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
