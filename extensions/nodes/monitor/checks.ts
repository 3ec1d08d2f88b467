import type Docker from 'dockerode';
import { type CheckResult, type Context, clockCheck, type Failure } from '../../../kernel/contract/index.js';
import type { Nodes } from '../contract.js';
import type { Engines } from '../engines/engines.js';
import { explain } from '../engines/failures.js';
import { reportedTime } from '../engines/time.js';
import type { NodeStore } from '../store/nodes.js';
import type { StoredNode } from '../store/stored.js';

export interface CheckParts {
  nodes: Pick<NodeStore, 'all'>;
  engines: Engines;
  /** Returns the client of a node's engine. */
  docker: (node: StoredNode) => Promise<Docker>;
}

const answer_ms = 3_000;
/** Limits of engines whose clocks are read, and of nodes listed by name. */
const max_engines = 10;
const max_listed = 5;
const local = { host: '', host_key: '', secrets: {} };

/** Registers the checks of engines and nodes for `doctor`. An instance stays ready even if they fail. */
export function attachChecks(ctx: Context<Nodes>, parts: CheckParts): void {
  const configured = typeof ctx.config.docker_host === 'string' && ctx.config.docker_host !== '';
  const engines = new EngineAnswers(parts);
  ctx.check('engine', () => localEngine(parts, { configured, engines }));
  ctx.check('engine_clock', () => engineClocks(ctx, parts));
  ctx.check('nodes', async () => statusOf(await withCurrentStatus(await parts.nodes.all(), engines)));
}

/**
 * Checks the local engine. It counts as missing only if a node is on it or the settings name it; otherwise an absent
 * one is not reported.
 */
async function localEngine(
  { engines: { local: address }, nodes }: CheckParts,
  { configured, engines }: { configured: boolean; engines: EngineAnswers },
): Promise<CheckResult | undefined> {
  const here = (await nodes.all()).filter(({ host }) => host === '');
  const used = here.length === 1 ? '1 work node is on it' : `${here.length === 0 ? 'No' : here.length} work nodes are on it`;
  const fault = await engines.fault({ host: '' });
  if (fault === undefined) return { ok: true, message: `The local engine answers at ${address}. ${used}` };
  if (here.length === 0 && !configured) return undefined;
  const { message, cause } = fault;
  const [since] = here.flatMap((node) => (node.reason_code === 'engine_unavailable' ? [node.since] : [])).sort();
  return { ok: false, message: `${message}. ${used}`, since, fix: engineFix((cause as { code?: string } | undefined)?.code) };
}

/** Checks whether engines answer, once for all checks of a run. */
class EngineAnswers {
  readonly #parts: CheckParts;
  readonly #asked = new Map<string, { at: number; fault: Promise<Failure | undefined> }>();

  constructor(parts: CheckParts) {
    this.#parts = parts;
  }

  /** Returns why a node's engine does not answer; undefined if it does. */
  fault(node: Pick<StoredNode, 'host'> | StoredNode): Promise<Failure | undefined> {
    const { host } = node;
    const now = performance.now();
    const known = this.#asked.get(host);
    if (known && now - known.at < answer_ms) return known.fault;
    for (const [other, { at }] of this.#asked) if (now - at >= answer_ms) this.#asked.delete(other);
    const fault = this.#ask(node);
    this.#asked.set(host, { at: now, fault });
    return fault;
  }

  async #ask(node: Pick<StoredNode, 'host'> | StoredNode): Promise<Failure | undefined> {
    const { engines, docker } = this.#parts;
    try {
      const client = await ('id' in node && node.host !== '' ? docker(node) : engines.at(local));
      await client.listContainers({ limit: 1, abortSignal: AbortSignal.timeout(answer_ms) });
      return undefined;
    } catch (fault) {
      return explain(fault, node.host);
    }
  }
}

/** Returns the nodes' current state: a node whose engine does not answer is offline, even if no probe has noticed yet. */
async function withCurrentStatus(all: readonly StoredNode[], engines: EngineAnswers): Promise<StoredNode[]> {
  const hosts = new Map(all.filter(({ status }) => status === 'online').map((node) => [node.host, node]));
  const faults = new Map<string, Failure>();
  const ask = async (node: StoredNode) => {
    const fault = await engines.fault(node);
    if (fault) faults.set(node.host, fault);
  };
  await Promise.all([...hosts.values()].slice(0, max_engines).map(ask));
  return all.map((node) => {
    const fault = node.status === 'online' ? faults.get(node.host) : undefined;
    return fault ? { ...node, status: 'offline', reason: fault.message, reason_code: fault.code } : node;
  });
}

const useAnotherEngine = 'name another engine with: PLATFORM_DOCKER_HOST=unix:///var/run/docker.sock platform serve';

function engineFix(code: string | undefined): string {
  const allow = 'let this user open its socket with: sudo usermod -aG docker "$(id -un)", and log in again';
  return `${code === 'EACCES' ? allow : 'start it with: sudo systemctl start docker'}; or ${useAnotherEngine}`;
}

/** Checks the clocks of engines that answer; the others are covered by `engine` and `nodes`. */
async function engineClocks({ clock }: Context<Nodes>, { nodes, engines, docker }: CheckParts): Promise<CheckResult | undefined> {
  const remote = new Map((await nodes.all()).filter(({ host }) => host !== '').map((node) => [node.host, node]));
  const asked = [
    { whose: 'the local engine', client: () => engines.at(local) },
    ...[...remote.values()].map((node) => ({ whose: `the engine at ${node.host}`, client: () => docker(node) })),
  ];
  const found = await Promise.all(
    asked.slice(0, max_engines).map(async ({ whose, client }) => {
      try {
        const engine = await client();
        return await clockCheck(whose, clock, () => reportedTime(engine));
      } catch {
        return undefined;
      }
    }),
  );
  const told = found.filter((result) => result !== undefined);
  return told.find(({ ok }) => !ok) ?? told[0];
}

function statusOf(all: readonly StoredNode[]): CheckResult | undefined {
  if (all.length === 0) return undefined;
  const works = ({ status, reason }: StoredNode) => status === 'online' && reason === '';
  const away = all
    .filter((node) => node.status !== 'creating' && node.status !== 'removing' && !works(node))
    .sort((a, b) => (a.since < b.since ? -1 : 1));
  const [first] = away;
  if (!first) return { ok: true, message: all.length === 1 ? 'The work node is online' : `All ${all.length} work nodes are online` };
  const named = away.slice(0, max_listed).map(({ id, name, status, reason }) => `'${name}' (${id}) is ${status}${reason && `: ${reason}`}`);
  const more = away.length > max_listed ? ` and ${away.length - max_listed} more` : '';
  return { ok: false, message: `Of ${all.length} work nodes ${named.join('; ')}${more}`, since: first.since, fix: nodeFix(first) };
}

/** Returns a command that helps. It contains the node's id only: names are free text, and this is pasted into a shell. */
function nodeFix({ id, host, status, reason_code }: StoredNode): string {
  const fixes: Readonly<Record<string, string>> = {
    engine_unavailable: host === '' ? engineFix(undefined) : `start its engine on that machine with: sudo systemctl start docker`,
    tls_untrusted: `set the certificates with: platform node change ${id} --tls '{"ca":"…","cert":"…","key":"…"}'`,
    ssh_host_key_mismatch: `if its host has a new key, set it with: platform node change ${id} --ssh '{"host_key":"SHA256:…"}'`,
    ssh_auth_failed: `set a key with: platform node change ${id} --ssh '{"host_key":"SHA256:…","private_key":"…"}'`,
  };
  const anew = `delete it with: platform node rm ${id} --yes; and create it again with: platform node create <name>`;
  return fixes[reason_code] ?? (status === 'error' ? anew : `see its log with: platform node logs ${id}; or ${anew}`);
}
