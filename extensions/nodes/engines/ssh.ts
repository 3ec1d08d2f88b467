import { Duplex } from 'node:stream';
import type { Client, ConnectConfig, ServerHostKeyAlgorithm } from 'ssh2';
import type { EngineAddress, Target } from './address.js';
import { fingerprintOf, type PinnedKey, pinnedKey, typeOf } from './host-key.js';
import type { Limits } from './limits.js';
import { EngineAgent } from './sockets.js';

type SshTarget = Extract<Target, { kind: 'ssh' }>;

/** Fault of the connection to an engine, as opposed to one of the engine. */
export class SshFault extends Error {
  readonly code: 'ssh_host_key_mismatch' | 'ssh_auth_failed' | 'ssh_unreachable' | 'ssh_socket_refused';

  constructor(code: SshFault['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const keepalive_ms = 10_000;

/** Opens streams to an engine's socket over a single SSH connection, which is reopened after a loss. */
export class SshAgent extends EngineAgent {
  readonly #target: SshTarget;
  readonly #address: EngineAddress;
  readonly #limits: Limits;
  #login: Promise<Client> | undefined;
  #client: Client | undefined;

  constructor(target: SshTarget, address: EngineAddress, limits: Limits) {
    // Opening a stream is cheaper than keeping one.
    super({ keepAlive: false, maxSockets: limits.connections });
    this.#target = target;
    this.#address = address;
    this.#limits = limits;
  }

  override destroy(): void {
    super.destroy();
    this.#client?.destroy();
  }

  protected async open(): Promise<Duplex> {
    this.#login ??= this.#connect();
    const client = await this.#login;
    const stream = await forward(client, this.#target.path, this.#limits.connect_ms);
    return asSocket(stream);
  }

  async #connect(): Promise<Client> {
    const { default: ssh2 } = await import('ssh2');
    const client = new ssh2.Client();
    this.#client = client;
    const onClose = () => {
      if (this.#client !== client) return;
      this.#client = this.#login = undefined;
      // Without the error, readers would see a normal end.
      this.closeAll(new SshFault('ssh_unreachable', `${this.#target.host}: the connection was lost`));
    };
    client.once('close', onClose);
    try {
      this.assertOpen();
      return await logIn(client, this.#target, { ...this.#address, ...this.#limits });
    } catch (fault) {
      onClose();
      client.destroy();
      throw fault;
    }
  }
}

function logIn(client: Client, target: SshTarget, { host_key, secrets, connect_ms, login_ms }: EngineAddress & Limits): Promise<Client> {
  const pinned = pinnedKey(host_key);
  const { private_key, passphrase, password } = secrets.ssh ?? {};
  let presented: Buffer | undefined;
  const config: ConnectConfig = {
    host: target.host,
    port: target.port,
    username: target.user,
    ...(private_key ? { privateKey: private_key } : {}),
    ...(passphrase ? { passphrase } : {}),
    ...(password ? { password } : {}),
    hostVerifier: (key: Buffer) => {
      presented = key;
      return fingerprintOf(key) === pinned?.fingerprint;
    },
    ...(pinned?.type ? { algorithms: { serverHostKey: algorithmsOf(pinned.type) } } : {}),
    timeout: connect_ms,
    readyTimeout: login_ms,
    keepaliveInterval: keepalive_ms,
    keepaliveCountMax: 3,
  };
  return new Promise((resolve, reject) => {
    const refused = (fault: Error) => reject(faultOf(fault, { target, pinned, shown: presented }));
    client.once('ready', () => resolve(client));
    // Keep the listener: a later error closes the connection, and its streams report it.
    client.on('error', refused);
    client.once('close', () => refused(new Error('The connection was closed during the login')));
    try {
      client.connect(config);
    } catch (fault) {
      reject(new SshFault('ssh_auth_failed', (fault as Error).message, { cause: fault }));
    }
  });
}

/** Returns the algorithms of the pinned type: hosts have several keys, but only one of that type can be verified. */
function algorithmsOf(type: string): ServerHostKeyAlgorithm[] {
  return (type === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'] : [type]) as ServerHostKeyAlgorithm[];
}

interface LoginContext {
  target: SshTarget;
  pinned: PinnedKey | undefined;
  shown: Buffer | undefined;
}

function faultOf(fault: Error & { level?: string }, { target, pinned, shown }: LoginContext): SshFault {
  if (shown && fingerprintOf(shown) !== pinned?.fingerprint) {
    const message = `${target.host} shows the key ${fingerprintOf(shown)} (${typeOf(shown) ?? 'of an unknown kind'})`;
    return new SshFault('ssh_host_key_mismatch', `${message}, expected ${pinned?.fingerprint ?? 'none'}`, { cause: fault });
  }
  if (/no matching host key/i.test(fault.message))
    return new SshFault('ssh_host_key_mismatch', `${target.host} has no key of the kind ${pinned?.type}`, { cause: fault });
  if (fault.level === 'client-authentication')
    return new SshFault('ssh_auth_failed', `${target.host} did not let ${target.user} in`, { cause: fault });
  return new SshFault('ssh_unreachable', `${target.host}, port ${target.port}: ${fault.message}`, { cause: fault });
}

function forward(client: Client, path: string, limit_ms: number): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const end = (settle: () => void) => {
      isOver = true;
      clearTimeout(timer);
      client.off('close', lost);
      settle();
    };
    const refuse = (message: string, cause?: unknown) =>
      end(() => reject(new SshFault('ssh_socket_refused', `${path}: ${message}`, { cause })));
    const timer = setTimeout(() => refuse(`no stream within ${limit_ms} ms`), limit_ms);
    const lost = () => refuse('the connection was lost');
    client.once('close', lost);
    const opened = (fault: Error | undefined, stream: Duplex) => {
      // Nobody waits for it any more, and it would hold a connection on its host.
      if (isOver) stream?.on('error', () => undefined).destroy();
      else if (fault) refuse(fault.message, fault);
      else end(() => resolve(stream));
    };
    try {
      client.openssh_forwardOutStreamLocal(path, opened);
    } catch (fault) {
      opened(fault as Error, undefined as unknown as Duplex);
    }
  });
}

/** Adds the socket methods that Node's HTTP needs, and makes the stream fail with the error it is destroyed with. */
function asSocket(stream: Duplex): Duplex {
  const none = () => stream;
  const close = stream.destroy.bind(stream);
  return Object.assign(stream, {
    destroy(fault?: Error) {
      close();
      return fault ? Duplex.prototype.destroy.call(stream, fault) : stream;
    },
    setKeepAlive: none,
    setNoDelay: none,
    setTimeout: none,
    ref: none,
    unref: none,
    destroySoon: () => stream.destroy(),
  });
}
