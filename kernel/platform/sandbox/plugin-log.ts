import type { Log } from '../../contract/extension.js';
import { Budget } from '../../core/limits/budget.js';
import { flood_window_ms, log_lines, log_lines_per_second } from './limits.js';
import type { LogNotice } from './messages.js';

const levels: readonly unknown[] = ['debug', 'info', 'warn', 'error'] satisfies LogNotice['level'][];
const message_length = 8_000;
const second_ms = 1_000;

/** Writes the log lines of a plugin's process, and those that it causes, within limits. */
export class PluginLog {
  readonly #log: Log;
  readonly #lineRate = new Budget(log_lines_per_second, second_ms);
  readonly #flood = new Budget(log_lines, flood_window_ms);

  constructor(log: Log) {
    this.#log = log;
  }

  /** Writes a line; returns false if it is malformed or above the limit. Fields are nested under one key, so that none can imitate the platform's. */
  line(params: unknown): boolean {
    const { level, message, fields } = (params ?? {}) as Readonly<Record<string, unknown>>;
    if (!levels.includes(level) || typeof message !== 'string') return false;
    const nested = isFields(fields) && Object.keys(fields).length > 0 ? { fields } : {};
    this.#write(level as LogNotice['level'], message.slice(0, message_length), nested);
    return this.#flood.use();
  }

  /** Writes a line of the platform about the plugin, limited because the plugin can cause it any number of times. */
  warn(message: string, fields: object = {}): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields: object = {}): void {
    this.#write('error', message, fields);
  }

  #write(level: LogNotice['level'], message: string, fields: object): void {
    const dropped = this.#lineRate.renew();
    if (dropped > 0) this.#log.warn(`… and ${dropped} more lines`);
    if (this.#lineRate.use()) this.#log[level](message, fields);
  }
}

function isFields(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
