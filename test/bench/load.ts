import { Pool } from 'undici';

export interface LoadOptions {
  url: string;
  token: string;
  extension: 'hello' | 'chat' | 'members';
  connections: number;
}

export interface LoadReport {
  requests: number;
  failed: number;
  first_failure: string | undefined;
  /** How many versions of the extension were seen in answers. */
  versions: number;
}

interface Ask {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  body?: object;
  /** The statuses that are no failure. */
  status: number;
}

/** Requests on a number of connections, one after the other on each, until it is stopped. */
export class Load {
  readonly #options: LoadOptions;
  readonly #pool: Pool;
  readonly #report: LoadReport = { requests: 0, failed: 0, first_failure: undefined, versions: 0 };
  readonly #versions = new Set<string>();
  #stopped = false;
  #lanes: Promise<void>[] = [];

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#pool = new Pool(options.url, { connections: options.connections, pipelining: 1 });
  }

  async start(): Promise<void> {
    await this.#ask({ method: 'GET', path: '/healthz', status: 200 });
    this.#lanes = Array.from({ length: this.#options.connections }, (_, lane) => this.#run(lane));
  }

  async stop(): Promise<LoadReport> {
    this.#stopped = true;
    await Promise.all(this.#lanes);
    await this.#pool.close();
    return { ...this.#report, versions: this.#versions.size };
  }

  async #run(lane: number): Promise<void> {
    const asks = asksOf(this.#options.extension);
    for (let n = lane; !this.#stopped; n += 1) await this.#ask(asks[n % asks.length] as Ask);
  }

  async #ask({ method, path, body, status }: Ask): Promise<void> {
    this.#report.requests += 1;
    const headers = { authorization: `Bearer ${this.#options.token}`, ...(body ? { 'content-type': 'application/json' } : {}) };
    try {
      const answer = await this.#pool.request({ method, path, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
      const text = await answer.body.text();
      if (answer.statusCode !== status) throw new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 200)}`);
      const version = /"served_by":"([^"]+)"/.exec(text)?.[1];
      if (version) this.#versions.add(version);
    } catch (fault) {
      this.#report.failed += 1;
      this.#report.first_failure ??= String(fault);
    }
  }
}

/** Reads, posts and slow calls of the replaced extension, and reads of the others. */
function asksOf(extension: LoadOptions['extension']): Ask[] {
  const others: Ask[] = [
    { method: 'GET', path: '/api/x/hello/greet?name=Ada', status: 200 },
    { method: 'GET', path: '/api/members?page_size=5', status: 200 },
    { method: 'GET', path: '/api/chat/sessions?limit=5', status: 200 },
    { method: 'POST', path: '/api/x/hello/slow', body: { ms: 200 }, status: 200 },
  ];
  const own: Record<LoadOptions['extension'], Ask[]> = {
    hello: [{ method: 'POST', path: '/api/x/hello/slow', body: { ms: 0 }, status: 200 }],
    chat: [{ method: 'POST', path: '/api/chat/sessions', body: { title: 'bench', target_type: '', target_id: '' }, status: 201 }],
    members: [
      { method: 'GET', path: '/api/auth/me', status: 200 },
      { method: 'PUT', path: '/api/members/2', body: { nickname: 'Assistant' }, status: 200 },
    ],
  };
  return [...own[extension], ...others, ...own[extension]];
}
