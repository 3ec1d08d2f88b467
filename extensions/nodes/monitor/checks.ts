import type Docker from 'dockerode';
import { type CheckResult, type Context, clockCheck, type Failure } from '../../../kernel/contract/index.js';
import type { Nodes } from '../contract.js';
import type { Engines } from '../engines/engines.js';
import { explain } from '../engines/failures.js';
import { toldTime } from '../engines/time.js';
import type { NodeStore } from '../store/nodes.js';
import type { StoredNode } from '../store/stored.js';

export interface CheckParts {
  nodes: Pick<NodeStore, 'all'>;
  engines: Engines;
  /** The client of a node's engine. */
  docker: (node: StoredNode) => Promise<Docker>;
}

const answer_ms = 3_000;
/** Engines whose clocks are read, and nodes that are told of by name. */
const max_engines = 10;
const max_named = 5;
const local = { host: '', host_key: '', secrets: {} };

/** What `doctor` asks of engines and nodes. An instance serves on where they are red. */
export function attachChecks(ctx: Context<Nodes>, parts: CheckParts): void {
  const configured = typeof ctx.config.docker_host === 'string' && ctx.config.docker_host !== '';
  const engines = new EngineAnswers(parts);
  ctx.check('engine', () => localEngine(parts, { configured, engines }));
  ctx.check('engine_clock', () => engineClocks(ctx, parts));
  ctx.check('nodes', async () => statusOf(await asked(await parts.nodes.all(), engines)));
}

/** The local engine is missed only where a node is on it, or the settings name it; else nothing is said of one that isn't there. */
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

/** Whether engines answer, asked once for all checks of one run. */
class EngineAnswers {
  readonly #parts: CheckParts;
  readonly #asked = new Map<string, { at: number; fault: Promise<Failure | undefined> }>();

  constructor(parts: CheckParts) {
    this.#parts = parts;
  }

  /** Why the engine of a node does not answer; undefined if it does. */
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

/** The nodes as they are now: one whose engine does not answer is not online, though no probe has missed it yet. */
async function asked(all: readonly StoredNode[], engines: EngineAnswers): Promise<StoredNode[]> {
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

const another = 'name another engine with: PLATFORM_DOCKER_HOST=unix:///var/run/docker.sock platform serve';

function engineFix(code: string | undefined): string {
  const allow = 'let this user open its socket with: sudo usermod -aG docker "$(id -un)", and log in anew';
  return `${code === 'EACCES' ? allow : 'start it with: sudo systemctl start docker'}; or ${another}`;
}

/** Only of engines that answer: of the others `engine` and `nodes` tell. */
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
        return await clockCheck(whose, clock, () => toldTime(engine));
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
  if (!first) return { ok: true, message: all.length === 1 ? 'The work node is there' : `All ${all.length} work nodes are there` };
  const named = away.slice(0, max_named).map(({ id, name, status, reason }) => `'${name}' (${id}) is ${status}${reason && `: ${reason}`}`);
  const more = away.length > max_named ? ` and ${away.length - max_named} more` : '';
  return { ok: false, message: `Of ${all.length} work nodes ${named.join('; ')}${more}`, since: first.since, fix: nodeFix(first) };
}

/** By its id alone: names are free text, and this is pasted into a shell. */
function nodeFix({ id, host, status, reason_code }: StoredNode): string {
  const fixes: Readonly<Record<string, string>> = {
    engine_unavailable: host === '' ? engineFix(undefined) : `start its engine on that machine with: sudo systemctl start docker`,
    tls_untrusted: `give the certificates with: platform node change ${id} --tls '{"ca":"…","cert":"…","key":"…"}'`,
    ssh_host_key_mismatch: `if its host has a new key, give that with: platform node change ${id} --ssh '{"host_key":"SHA256:…"}'`,
    ssh_auth_failed: `give a key with: platform node change ${id} --ssh '{"host_key":"SHA256:…","private_key":"…"}'`,
  };
  const anew = `delete it with: platform node rm ${id} --yes; and make it anew with: platform node create <name>`;
  return fixes[reason_code] ?? (status === 'error' ? anew : `see what it says with: platform node logs ${id}; or ${anew}`);
}
