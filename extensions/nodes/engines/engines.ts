import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { type Disposable, isFailure } from '../../../kernel/contract/index.js';
import type { EngineSecrets } from '../store/stored.js';
import { default_socket, type EngineAddress, targetOf } from './address.js';
import { EngineClient } from './client.js';
import { failEngine } from './codes.js';
import { limits as default_limits, type Limits } from './limits.js';

export interface EnginesOptions {
  /** Local engine: the setting `docker_host`; empty means its default socket. */
  local: string;
  /** Folder of `ca.pem`, `cert.pem` and `key.pem` for TLS: the setting `docker_cert_path`. Default: none. */
  certificates?: string;
  /** Limits that differ from the defaults. */
  limits?: Partial<Limits>;
}

interface Entry {
  client: Promise<EngineClient>;
  /** Undefined while it is being created. */
  ready: EngineClient | undefined;
  used_at: number;
}

/**
 * Caches clients of container engines, one for each address and set of secrets. Connects with the first request.
 * `explain` converts a client's errors to failures.
 */
export class Engines implements Disposable {
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();
  readonly #local: string;
  readonly #certificates: string;
  readonly #limits: Limits;
  readonly #timer: NodeJS.Timeout;
  #disposed = false;

  constructor({ local, certificates = '', limits = {} }: EnginesOptions) {
    this.#certificates = certificates;
    this.#local = local === '' ? `unix://${default_socket}` : local;
    this.#limits = { ...default_limits, ...limits };
    this.#timer = setInterval(() => this.#closeIdle(), Math.min(this.#limits.idle_ms, 60_000));
    this.#timer.unref();
  }

  /** Number of open clients. */
  get size(): number {
    return this.#entries.size;
  }

  /** Address of the local engine. */
  get local(): string {
    return this.#local;
  }

  /**
   * Returns the client of an engine. Call it for each use: clients unused for five minutes are closed.
   *
   * @throws `invalid_input` if the address or its secrets are unusable; `engine_unavailable` if too many engines are in
   * use, or the local one is unusable as configured
   */
  async at(address: EngineAddress): Promise<Docker> {
    if (this.#disposed) throw failEngine('engine_unavailable', 'The platform is stopping');
    const key = keyOf(address);
    const entry = this.#entries.get(key) ?? { client: this.#open(address), ready: undefined, used_at: 0 };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.used_at = Date.now();
    try {
      entry.ready = await entry.client;
    } catch (fault) {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
      throw fault;
    }
    return entry.ready.docker;
  }

  dispose(): void {
    this.#disposed = true;
    clearInterval(this.#timer);
    for (const key of [...this.#entries.keys()]) this.#close(key);
  }

  async #open(address: EngineAddress): Promise<EngineClient> {
    if (address.host !== '') {
      const target = targetOf(address);
      this.#makeRoom();
      return EngineClient.open(target, address, this.#limits);
    }
    try {
      const local = { host: this.#local, host_key: '', secrets: await this.#localSecrets() };
      return await EngineClient.open(targetOf(local), local, this.#limits);
    } catch (fault) {
      if (!isFailure(fault)) throw fault;
      throw failEngine(
        'engine_unavailable',
        `The local engine's address ${this.#local} (PLATFORM_DOCKER_HOST) can't be used: ${fault.message}`,
      );
    }
  }

  /** Reads the certificates as Docker's own programs do. Only TCP needs them. */
  async #localSecrets(): Promise<EngineSecrets> {
    if (this.#certificates === '' || !/^(tcp|https):/.test(this.#local)) return {};
    const read = async (name: string) => {
      const file = join(this.#certificates, name);
      return readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
        throw failEngine('engine_unavailable', `${file} (PLATFORM_DOCKER_CERT_PATH) can't be read: ${cause.code}`, { cause });
      });
    };
    const [ca, cert, key] = await Promise.all([read('ca.pem'), read('cert.pem'), read('key.pem')]);
    return { tls: { ca, cert, key } };
  }

  #makeRoom(): void {
    if (this.#entries.size < this.#limits.engines) return;
    const idle = [...this.#entries].find(([, { ready }]) => ready && !ready.busy);
    if (!idle) throw failEngine('engine_unavailable', `${this.#limits.engines} engines are in use, which is the limit; try again later`);
    this.#close(idle[0]);
  }

  #closeIdle(): void {
    const before = Date.now() - this.#limits.idle_ms;
    for (const [key, { ready, used_at }] of [...this.#entries]) if (ready && !ready.busy && used_at <= before) this.#close(key);
  }

  #close(key: string): void {
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    void entry?.client.then((client) => client.close()).catch(() => undefined);
  }
}

/** Hashes an address, so that secrets are compared without being stored. */
function keyOf({ host, host_key, secrets }: EngineAddress): string {
  const { tls = {}, ssh = {} } = secrets;
  const parts = [host, host_key, tls.ca, tls.cert, tls.key, ssh.private_key, ssh.passphrase, ssh.password];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
