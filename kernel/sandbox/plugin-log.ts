import type { Log } from '../contract/extension.js';
import { Budget } from '../service/budget.js';
import { flood_window_ms, log_lines, log_lines_per_second } from './limits.js';
import type { LogNotice } from './messages.js';

const levels: readonly unknown[] = ['debug', 'info', 'warn', 'error'] satisfies LogNotice['level'][];
const message_length = 8_000;
const second_ms = 1_000;

/** Takes the log lines of a plugin's process: so many a second, and not without end. */
export class PluginLog {
  readonly #log: Log;
  readonly #kept = new Budget(log_lines_per_second, second_ms);
  readonly #taken = new Budget(log_lines, flood_window_ms);

  constructor(log: Log) {
    this.#log = log;
  }

  /** False where it is no line, or one too many. */
  line(params: unknown): boolean {
    const { level, message, fields } = (params ?? {}) as Readonly<Record<string, unknown>>;
    if (!levels.includes(level) || typeof message !== 'string') return false;
    const dropped = this.#kept.renew();
    if (dropped > 0) this.#log.warn(`… and ${dropped} more lines`);
    if (this.#kept.use()) this.#log[level as LogNotice['level']](message.slice(0, message_length), isFields(fields) ? fields : {});
    return this.#taken.use();
  }
}

function isFields(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
