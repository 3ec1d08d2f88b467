import type { Agent, OutgoingHttpHeaders } from 'node:http';
import type Docker from 'dockerode';
import type { EngineAddress, Target } from './address.js';
import { type Answer, type Exchange, exchange } from './exchange.js';
import type { Limits } from './limits.js';
import { SystemAgent } from './sockets.js';
import { SshAgent } from './ssh.js';
import { contextOf } from './tls.js';

type Reply = (fault: unknown, value: unknown) => void;
type Context = Pick<Exchange, 'statusCodes'> & Partial<Pick<Exchange, 'isStream' | 'hijack' | 'openStdin'>>;

/** The part of the library that is replaced, because it follows redirects anywhere and waits without limit. */
interface Modem {
  buildRequest: (options: Exchange['options'], context: Context, body: Exchange['body'], reply: Reply) => void;
  buildPayload: (...payload: readonly unknown[]) => void;
}

/** Client of one engine that tracks whether it is in use. */
export class EngineClient {
  readonly docker: Docker;
  readonly #agent: Agent;
  readonly #host: string;
  readonly #limits: Limits;
  /** Running requests and open streams. */
  #uses = 0;

  static async open(target: Target, address: EngineAddress, limits: Limits): Promise<EngineClient> {
    const { default: Dockerode } = await import('dockerode');
    // Never use an address from the environment. The path isn't used: the agent knows the engine's address.
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

  /** Releases a request; a stream stays in use until it is closed. */
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
  if (target.kind === 'ssh') return new SshAgent(target, address, limits);
  const secure = target.kind === 'tcp' && target.secure;
  return new SystemAgent(target, { ...limits, ...(secure ? { context: contextOf(address.secrets.tls ?? {}) } : {}) });
}

/** Returns the Host header: proxies in front of an engine route by it; engines ignore it. */
function hostHeader(target: Target): string {
  if (target.kind !== 'tcp') return 'docker';
  return target.host.includes(':') ? `[${target.host}]:${target.port}` : `${target.host}:${target.port}`;
}
