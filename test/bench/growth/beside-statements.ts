import { type Ask, AskedServer } from './asked.js';
import { atMost, type Effort } from './effort.js';
import type { Cost } from './growth.js';

/** An operation of the platform, and the one statement that gives the same by hand. */
export interface Compared {
  what: string;
  ask: (n: number) => Ask;
  statement: string;
  /** Asked no more often: what adds rows must not make it many. */
  max?: number;
  /** How much of what is counted each request asks for. Default 1. */
  units?: number;
}

/** A platform beside bare hapi with a statement for each operation, on the same SQLite file. */
export class BesideStatements {
  readonly #ours: AskedServer;
  readonly #limit: AskedServer;
  readonly #compared: readonly Compared[];

  private constructor(ours: AskedServer, limit: AskedServer, compared: readonly Compared[]) {
    this.#ours = ours;
    this.#limit = limit;
    this.#compared = compared;
  }

  static async start(ours: AskedServer, file: string, compared: readonly Compared[]): Promise<BesideStatements> {
    const statements = compared.map(({ statement }) => statement);
    return new BesideStatements(ours, await AskedServer.start('./limits/statements.js', [file, JSON.stringify(statements)]), compared);
  }

  async costs(effort: Effort): Promise<Cost[]> {
    const costs: Cost[] = [];
    for (const [index, { what, ask, max, units = 1 }] of this.#compared.entries()) {
      const within = max === undefined ? effort : atMost(max, effort);
      const { cpu_us, ...took } = await this.#ours.cost(ask, within);
      const its = await this.#limit.cost(() => ({ path: `/${index}` }), within);
      const { memory_mb } = await this.#ours.use();
      costs.push({
        what,
        cpu_us: cpu_us / units,
        limit_cpu_us: its.cpu_us / units,
        more: { ...took, limit_ms_p99: its.ms_p99, memory_mb },
      });
    }
    return costs;
  }

  async stop(): Promise<void> {
    await this.#limit.stop();
    await this.#ours.stop();
  }
}
