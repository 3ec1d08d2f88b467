import type { Storage } from '../../../kernel/contract/extension.js';

/** The caller: `admin` is the administrator, `member` a member without further rights, `nobody` has no token; otherwise a user name. */
export type As = 'admin' | 'member' | 'nobody' | (string & {});

export interface StartOptions {
  /** The plugin's folder, with its `manifest.json`. Default: the working directory, which `platform extension test` sets. */
  folder?: string;
  /** The plugin's settings. Default: none, so that the defaults of its schema apply. */
  config?: Readonly<Record<string, unknown>>;
  /** Private hosts that the plugin may reach if its permissions name them too: `127.0.0.1:4000`. Default: none. */
  fetch_allow?: readonly string[];
}

/** One line of the plugin's log or output. */
export interface LogLine {
  at: string;
  level: string;
  message: string;
  /** The values logged beside the message, without secrets, shortened. */
  fields: Readonly<Record<string, unknown>>;
}

/**
 * A platform for one test, with the plugin installed as in production: from its bundle, in its own process, with the permissions of
 * its manifest. It has its own database and folder, listens on a free port of this machine, and removes everything at the end.
 */
export interface TestPlatform {
  /** `http://127.0.0.1:…` */
  readonly url: string;
  /**
   * Calls an operation of the plugin or the platform: `call('acme.greetings.greet', { name: 'Ada' })`. Default: as `member`.
   * Rejects with the operation's failure: `{code, status, message, details}`. A stream is an async iterable.
   */
  call<Answer = unknown>(operation: string, input?: object, options?: { as?: As }): Promise<Answer>;
  /** Sends an HTTP request to a path: `request('/api/x/acme.greetings/greet', { method: 'POST', body })`. Default: as `member`. */
  request(path: string, options?: RequestInit & { as?: As }): Promise<Response>;
  /** Emits an event, as the extension that owns the topic would; listeners receive it soon after. */
  emit(topic: string, payload: object): Promise<void>;
  /** The plugin's storage, to inspect and to prepare. */
  readonly storage: Storage;
  /** Sets the plugin's settings, and restarts it. */
  configure(config: Readonly<Record<string, unknown>>): Promise<void>;
  /** Creates a member to call `as`. Default role: `member`. Returns the id. */
  member(username: string, role?: 'admin' | 'member'): Promise<number>;
  /** Returns the plugin's last log lines, at most 100, oldest first. */
  log(): Promise<readonly LogLine[]>;
  /** Reads until the value is accepted, and returns it. Fails after 10 s with the last value. */
  until<Value>(read: () => Value | Promise<Value>, accepts: (value: Value) => boolean): Promise<Value>;
  /** Stops the platform, and removes everything that it has written. */
  close(): Promise<void>;
}

/**
 * Packs the plugin and installs it on a platform in this process; takes about two seconds. Rejects with the failures of packing,
 * installing and configuring.
 */
export type StartPlatform = (options?: StartOptions) => Promise<TestPlatform>;

export declare const startPlatform: StartPlatform;
