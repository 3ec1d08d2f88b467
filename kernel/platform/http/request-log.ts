import type { Log } from '../../contract/extension.js';
import type { Incoming, Outgoing } from './incoming.js';

/** Statuses for missing permissions or exceeded limits. Other refusals are mistakes of clients. */
const refusals: ReadonlySet<number> = new Set([401, 403, 429]);
/** Limit of lines about refusals in a window, so that repeated refusals don't fill the log. */
const max_refusals = 100;
const window_ms = 10_000;
const max_path = 300;
/** Path parameters that are secrets themselves. */
const secretParameter = /\{\w*(?:token|secret|ticket|code|key)\w*\}/;

export interface RequestLogOptions {
  log: Log;
  /** Whether to log each request, or only refused ones. */
  everything: boolean;
  now: () => number;
  /** Returns the prefix of a path that consists of names of the platform only. */
  knownPart: (path: string) => string;
}

/** Logs each request at level `debug`, and requests refused with 401, 403 or 429 at `info`. */
export class RequestLog {
  readonly #options: RequestLogOptions;
  readonly #closed: (this: Outgoing) => void;
  #window = { begun: Number.NEGATIVE_INFINITY, lines: 0 };

  constructor(options: RequestLogOptions) {
    this.#options = options;
    const closed = (res: Outgoing) => this.#answered(res);
    // One function for all requests: each costs a listener and no closure.
    this.#closed = function (this: Outgoing) {
      closed(this);
    };
  }

  /** Logs the request when its response is sent, or its client has disconnected. */
  watch(req: Incoming, res: Outgoing): void {
    if (this.#options.everything) req.started = this.#options.now();
    res.on('close', this.#closed);
  }

  /** Logs a request that became a WebSocket. */
  upgraded(req: Incoming): void {
    if (this.#options.everything) this.#options.log.debug(`${req.method} ${this.#pathOf(req)} 101`, fieldsOf(req, 101));
  }

  /** Logs a refused WebSocket, before or after the upgrade. */
  refusedSocket(req: Incoming, { status, code }: { status: number; code: string }): void {
    req.code = code;
    this.#write(req, status, {});
  }

  #answered(res: Outgoing): void {
    const { req, statusCode: status } = res;
    if (!this.#options.everything && !refusals.has(status)) return;
    const ms = this.#options.everything ? { ms: Math.round(this.#options.now() - req.started) } : {};
    this.#write(req, status, { ...ms, ...(res.writableFinished ? {} : { aborted: true }) });
  }

  #write(req: Incoming, status: number, more: object): void {
    const { log, everything } = this.#options;
    const line = `${req.method} ${this.#pathOf(req)} ${status}`;
    if (!refusals.has(status)) {
      if (everything) log.debug(line, { ...fieldsOf(req, status), ...more });
    } else if (this.#hasRoom()) log.info(line, { ...fieldsOf(req, status), ...more });
  }

  /**
   * Returns the path without its query, which may hold a token. A path that no route takes may be mistyped and hold one, too, so only
   * its known part is logged: `/api/…`. Tokens in other paths are redacted as in all lines.
   */
  #pathOf({ url = '', route, path }: Incoming): string {
    if (secretParameter.test(route)) return route;
    if (route === '') {
      const known = this.#options.knownPart(path);
      return known === path && path !== '' ? path : `${known}/…`;
    }
    const end = url.indexOf('?');
    return (end < 0 ? url : url.slice(0, end)).slice(0, max_path);
  }

  #hasRoom(): boolean {
    const { log, now } = this.#options;
    if (now() - this.#window.begun >= window_ms) {
      const left_out = this.#window.lines - max_refusals;
      if (left_out > 0) log.info(`${left_out} more refused requests were not logged`);
      this.#window = { begun: now(), lines: 0 };
    }
    this.#window.lines += 1;
    return this.#window.lines <= max_refusals;
  }
}

function fieldsOf({ request_id, code, member_id, address, door }: Incoming, status: number): object {
  return { request_id, status, ...(code === '' ? {} : { code }), ...(member_id === 0 ? {} : { member_id }), address, door };
}
