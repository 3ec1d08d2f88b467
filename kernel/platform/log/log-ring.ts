import type { ChildLog } from '../../core/ports.js';
import { redactFields, redactText } from './redaction.js';

export interface LogLine {
  at: string;
  level: string;
  message: string;
  /** The line's fields without secrets and stack traces, within a limit; they are whole in the server's log. */
  fields: Readonly<Record<string, unknown>>;
}

const kept = 100;
/** Limit of a line's fields as JSON, in characters. */
const max_fields = 2_000;

/** Returns the fields of a line for people. A value that doesn't fit in the limit is replaced by a note. */
function fieldsOf(fields: object | undefined): Record<string, unknown> {
  if (fields === undefined) return {};
  let left = max_fields;
  const short: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(redactFields(fields instanceof Error ? { error: fields } : fields))) {
    const json = JSON.stringify(value, (name, inner: unknown) => (name === 'stack' ? undefined : inner));
    if (json === undefined) continue;
    left -= key.length;
    if (left < 0) break;
    short[key] = json.length <= left ? (JSON.parse(json) as unknown) : '[too long]';
    left -= json.length <= left ? json.length : 0;
  }
  return short;
}

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
      if (level !== 'debug')
        this.#add(extension, { at: this.#clock.iso(), level, message: redactText(message).slice(0, 500), fields: fieldsOf(fields) });
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
