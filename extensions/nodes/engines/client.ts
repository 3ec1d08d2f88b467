import type { Agent, OutgoingHttpHeaders } from 'node:http';
import type Docker from 'dockerode';
import type { EngineAddress, Target } from './address.js';
import { type Answer, type Exchange, exchange } from './exchange.js';
import type { Limits } from './limits.js';
import { SystemSockets } from './sockets.js';
import { SshSockets } from './ssh.js';
import { contextOf } from './tls.js';

type Reply = (fault: unknown, value: unknown) => void;
type Context = Pick<Exchange, 'statusCodes'> & Partial<Pick<Exchange, 'isStream' | 'hijack' | 'openStdin'>>;

/** The part of the library that is replaced, since it follows redirects anywhere and waits without a limit. */
interface Modem {
  buildRequest: (options: Exchange['options'], context: Context, body: Exchange['body'], reply: Reply) => void;
  buildPayload: (...payload: readonly unknown[]) => void;
}

/** A client of one engine, and whether it is in use. */
export class EngineClient {
  readonly docker: Docker;
  readonly #agent: Agent;
  readonly #host: string;
  readonly #limits: Limits;
  /** Requests under way, and streams that are open. */
  #uses = 0;

  static async open(target: Target, address: EngineAddress, limits: Limits): Promise<EngineClient> {
    const { default: Dockerode } = await import('dockerode');
    // Never an address from the environment. The path isn't used: the agent knows where the engine is.
    const own = { host: undefined, port: undefined, protocol: 'http', pathPrefix: undefined, socketPath: '/', timeout: undefined } as const;
    const docker = new Dockerode({ ...own, ca: undefined, cert: undefined, key: undefined, version: undefined } as Docker.DockerOptions);
    return new EngineClient(docker, { agent: agentOf(target, address, limits), host: hostHeader(target), limits });
  }

  private constructor(docker: Docker, { agent, host, limits }: { agent: Agent; host: string; limits: Limits }) {
    this.docker = docker;
    this.#agent = agent;
    this.#host = host;
    this.#limits = limits;
    const modem = docker.modem as unknown as Modem;
    modem.buildRequest = (options, context, body, reply) => {
      const { isStream = false, hijack = false, openStdin = false, statusCodes } = context;
      this.#ask({ options, body, isStream, hijack, openStdin, statusCodes }, modem, reply);
    };
  }

  get busy(): boolean {
    return this.#uses > 0;
  }

  close(): void {
    this.#agent.destroy();
  }

  #ask(asked: Exchange, modem: Modem, reply: Reply): void {
    this.#uses += 1;
    const headers = { ...(asked.options.headers as OutgoingHttpHeaders | undefined), Host: this.#host };
    exchange({ ...asked, options: { ...asked.options, socketPath: undefined, headers } }, this.#agent, this.#limits).then(
      (answer) => {
        this.#release(answer);
        if (answer.kind === 'body') reply(null, answer.value);
        else if (answer.kind === 'hijacked') reply(null, answer.socket);
        else modem.buildPayload(null, true, asked.statusCodes, asked.openStdin, answer.request, answer.response, null, reply);
      },
      (fault: unknown) => {
        this.#uses -= 1;
        reply(fault, null);
      },
    );
  }

  /** A stream is in use until it is closed. */
  #release(answer: Answer): void {
    const stream = answer.kind === 'stream' ? answer.response : answer.kind === 'hijacked' ? answer.socket : undefined;
    const done = () => {
      this.#uses -= 1;
    };
    if (!stream || stream.destroyed) done();
    else stream.once('close', done);
  }
}

function agentOf(target: Target, address: EngineAddress, limits: Limits): Agent {
  if (target.kind === 'ssh') return new SshSockets(target, address, limits);
  const secure = target.kind === 'tcp' && target.secure;
  return new SystemSockets(target, { ...limits, ...(secure ? { context: contextOf(address.secrets.tls ?? {}) } : {}) });
}

/** Proxies before an engine choose by it; engines themselves don't care. */
function hostHeader(target: Target): string {
  if (target.kind !== 'tcp') return 'docker';
  return target.host.includes(':') ? `[${target.host}]:${target.port}` : `${target.host}:${target.port}`;
}
