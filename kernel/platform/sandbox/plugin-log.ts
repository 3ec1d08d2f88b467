import type { Log } from '../../contract/extension.js';
import { Budget } from '../../core/limits/budget.js';
import { flood_window_ms, log_lines, log_lines_per_second } from './limits.js';
import type { LogNotice } from './messages.js';

const levels: readonly unknown[] = ['debug', 'info', 'warn', 'error'] satisfies LogNotice['level'][];
const message_length = 8_000;
const second_ms = 1_000;

/** Takes the log lines of a plugin's process, and those that it causes: so many a second, and not without end. */
export class PluginLog {
  readonly #log: Log;
  readonly #kept = new Budget(log_lines_per_second, second_ms);
  readonly #taken = new Budget(log_lines, flood_window_ms);

  constructor(log: Log) {
    this.#log = log;
  }

  /** False where it is no line, or one too many. Its fields stand under one key: so none can pass for the platform's own. */
  line(params: unknown): boolean {
    const { level, message, fields } = (params ?? {}) as Readonly<Record<string, unknown>>;
    if (!levels.includes(level) || typeof message !== 'string') return false;
    const given = isFields(fields) && Object.keys(fields).length > 0 ? { fields } : {};
    this.#write(level as LogNotice['level'], message.slice(0, message_length), given);
    return this.#taken.use();
  }

  /** A line of the platform about the plugin, which the plugin can cause as often as it likes. */
  warn(message: string, fields: object = {}): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields: object = {}): void {
    this.#write('error', message, fields);
  }

  #write(level: LogNotice['level'], message: string, fields: object): void {
    const dropped = this.#kept.renew();
    if (dropped > 0) this.#log.warn(`… and ${dropped} more lines`);
    if (this.#kept.use()) this.#log[level](message, fields);
  }
}

function isFields(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
