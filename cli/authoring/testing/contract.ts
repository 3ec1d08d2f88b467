import type { Storage } from '../../../kernel/contract/extension.js';

/** Who asks. `admin` is the administrator, `member` somebody without further rights, `nobody` has no token; else a member's user name. */
export type As = 'admin' | 'member' | 'nobody' | (string & {});

export interface StartOptions {
  /** The plugin's folder, with its `manifest.json`. Default: where the tests were started, which `platform extension test` sees to. */
  folder?: string;
  /** The plugin's settings. Default: none, so that the defaults of its schema hold. */
  config?: Readonly<Record<string, unknown>>;
  /** Private hosts that the plugin may reach all the same, where its permissions name them too: `127.0.0.1:4000`. Default: none. */
  fetch_allow?: readonly string[];
}

/** One line of the plugin's log, and of what it printed. */
export interface LogLine {
  at: string;
  level: string;
  message: string;
}

/**
 * A platform of a test's own, with the plugin installed on it as anywhere else: from its bundle, in a process of its own, with what
 * its permissions grant. It has its own database and folder, listens on a free port of this machine, and leaves nothing behind.
 */
export interface TestPlatform {
  /** `http://127.0.0.1:…` */
  readonly url: string;
  /**
   * Asks an operation, the plugin's or any of the platform's: `call('acme.greetings.greet', { name: 'Ada' })`. Default: as `member`.
   * Fails as it does: `{code, status, message, details}`. A stream is an async iterable.
   */
  call<Answer = unknown>(operation: string, input?: object, options?: { as?: As }): Promise<Answer>;
  /** An HTTP request to a path: `request('/api/x/acme.greetings/greet', { method: 'POST', body })`. Default: as `member`. */
  request(path: string, options?: RequestInit & { as?: As }): Promise<Response>;
  /** Emits an event, as whichever extension it belongs to would; listeners hear of it soon after. */
  emit(topic: string, payload: object): Promise<void>;
  /** What the plugin has stored, to be looked at and prepared. */
  readonly storage: Storage;
  /** Sets the plugin's settings; it starts anew with them. */
  configure(config: Readonly<Record<string, unknown>>): Promise<void>;
  /** Makes a person who may be asked `as`. Default role: `member`. Gives the id. */
  member(username: string, role?: 'admin' | 'member'): Promise<number>;
  /** The plugin's last lines, at most 100, oldest first. */
  log(): Promise<readonly LogLine[]>;
  /** Waits until what is read is accepted, and gives it. Fails after 10 s with what was read last. */
  until<Value>(read: () => Value | Promise<Value>, accepts: (value: Value) => boolean): Promise<Value>;
  /** Ends it, and removes all that it has written. */
  close(): Promise<void>;
}

/**
 * Packs the plugin and installs it on a platform that runs in this process, within about two seconds. Fails as packing, installing
 * and configuring do, with what is wrong with it.
 */
export type StartPlatform = (options?: StartOptions) => Promise<TestPlatform>;

export declare const startPlatform: StartPlatform;
