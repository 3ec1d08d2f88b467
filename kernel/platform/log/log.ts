import { type DestinationStream, pino } from 'pino';
import type { Log } from '../../contract/extension.js';
import type { Requests } from '../../core/invoke/request.js';
import type { ChildLog } from '../../core/ports.js';
import { redactFields, redactText } from './redaction.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface LogOptions {
  level: LogLevel;
  /** Takes one JSON line at a time, its newline included. Default: the process's standard error. */
  destination?: { write(line: string): void };
  /** Those who hear each line too, as it is written. Asked at each line, so that one may come later. */
  listeners?: ReadonlySet<(line: string) => void>;
  /** The line carries the id of the request that runs here. */
  requests?: Requests;
  /** And the ids of its trace, where there is one. Asked at each line. */
  trace?: () => { trace_id: string; span_id: string } | undefined;
}

/**
 * A log of JSON lines: `{level, time, msg, request_id?, trace_id?, span_id?, …fields}`. Passwords, tokens, tickets and keys
 * never reach a line, whether they stand in a field, at any depth, or inside a text.
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
  // A full disk or a closed pipe must not end the server, and there is no further place to report it to.
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
