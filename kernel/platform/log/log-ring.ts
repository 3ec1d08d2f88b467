import type { ChildLog } from '../../core/ports.js';
import { redactText } from './redaction.js';

export interface LogLine {
  at: string;
  level: string;
  message: string;
}

const kept = 100;

/** Stores the last log lines of each extension, so that administrators can read them without the log file. */
export class LogRing {
  readonly #clock: { iso(): string };
  readonly #lines = new Map<string, LogLine[]>();

  constructor(clock: { iso(): string }) {
    this.#clock = clock;
  }

  /** Returns the lines of an extension, oldest first. */
  of(extension: string): readonly LogLine[] {
    return this.#lines.get(extension) ?? [];
  }

  /** Wraps a log so that its lines are also stored. */
  remembering(extension: string, log: ChildLog): ChildLog {
    const write = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, fields?: object) => {
      if (level !== 'debug') this.#add(extension, { at: this.#clock.iso(), level, message: redactText(message).slice(0, 500) });
      log[level](message, fields);
    };
    return {
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
      child: (fields) => this.remembering(extension, log.child(fields)),
    };
  }

  #add(extension: string, line: LogLine): void {
    const lines = this.#lines.get(extension) ?? [];
    lines.push(line);
    if (lines.length > kept) lines.shift();
    this.#lines.set(extension, lines);
  }
}
