import { type DestinationStream, pino } from 'pino';
import type { Log } from '../../contract/extension.js';
import type { Requests } from '../../core/invoke/request.js';
import type { ChildLog } from '../../core/ports.js';
import { redactFields, redactText } from './redaction.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface LogOptions {
  level: LogLevel;
  /** Receives one JSON line at a time, with its newline. Default: standard error. */
  destination?: { write(line: string): void };
  /** Called with each line. The set is read at each line, so listeners may be added later. */
  listeners?: ReadonlySet<(line: string) => void>;
  /** Adds the id of the current request to each line. */
  requests?: Requests;
  /** Returns the ids of the current trace for each line, if any. */
  trace?: () => { trace_id: string; span_id: string } | undefined;
}

/**
 * Creates a log of JSON lines: `{level, time, msg, request_id?, trace_id?, span_id?, …fields}`. Passwords, tokens, tickets and keys
 * are redacted in fields at any depth and inside texts.
 */
export function createLog(options: LogOptions): ChildLog {
  const root = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      serializers: {},
    },
    heardBy(options.listeners, options.destination ?? standardError()),
  );
  return new PinoLog(root, options, {});
}

function heardBy(listeners: LogOptions['listeners'], destination: DestinationStream): DestinationStream {
  if (!listeners) return destination;
  return {
    write(line) {
      destination.write(line);
      for (const hear of listeners) hear(line);
    },
  };
}

function standardError(): DestinationStream {
  const stream = pino.destination({ fd: 2, sync: true });
  // A full disk or a closed pipe must not end the server, and there is nowhere else to report it.
  stream.on('error', () => {});
  return stream;
}

type Writer = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error' | 'isLevelEnabled'>;

class PinoLog implements ChildLog {
  readonly #writer: Writer;
  readonly #options: Pick<LogOptions, 'requests' | 'trace'>;
  readonly #bound: Record<string, unknown>;

  constructor(writer: Writer, options: Pick<LogOptions, 'requests' | 'trace'>, bound: Record<string, unknown>) {
    this.#writer = writer;
    this.#options = options;
    this.#bound = bound;
  }

  debug(message: string, fields?: object): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields?: object): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields?: object): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields?: object): void {
    this.#write('error', message, fields);
  }

  child(fields: object): ChildLog {
    return new PinoLog(this.#writer, this.#options, { ...this.#bound, ...redactFields(fields) });
  }

  #write(level: keyof Log, message: string, fields: object | undefined): void {
    if (!this.#writer.isLevelEnabled(level)) return;
    const { requests, trace } = this.#options;
    const request_id = requests?.current()?.request_id;
    const line = {
      ...this.#bound,
      ...(request_id === undefined ? {} : { request_id }),
      ...trace?.(),
      ...(fields === undefined ? {} : redactFields(fields instanceof Error ? { error: fields } : fields)),
    };
    this.#writer[level](line, redactText(message));
  }
}
