import assert from 'node:assert/strict';
import type { CatalogEntry } from '../../contract/extension.js';
import type { ExtensionState } from '../../contract/system.js';
import type { ActiveOperation, Catalog, Target } from '../catalog/catalog.js';
import type { Cell } from '../catalog/cell.js';
import { audienceOf, isDangerous, scopeOf } from '../invoke/authorise.js';
import type { Installed } from './installed.js';
import type { Running } from './running.js';

/** Returns an operation as extensions see it. */
export function entryOf({ id, extension, operation, data }: ActiveOperation, builtin: boolean): CatalogEntry {
  const { input, answer } = data();
  return {
    id,
    extension,
    builtin,
    summary: operation.summary,
    who: operation.who,
    method: operation.method,
    kind: operation.kind ?? 'call',
    tool: operation.tool ?? false,
    mcp: operation.mcp ?? false,
    schedulable: operation.schedulable ?? false,
    dangerous: isDangerous(operation),
    audience: audienceOf(operation),
    scope: scopeOf(operation),
    ...(answer ? { answer } : {}),
    input,
  };
}

/** Builds the catalog of installed and running extensions. */
export function catalogOf(
  generation: number,
  installed: ReadonlyMap<string, Installed>,
  running: ReadonlyMap<string, Running>,
): Catalog<Cell> {
  const operations = new Map([...running.values()].flatMap((each) => [...each.draft.operations]));
  const claims = new Map<string, Target<Cell>>();
  const extensions = new Map();
  for (const [id, item] of installed) {
    const each = running.get(id);
    const { manifest } = each?.bundle ?? item.bundle;
    for (const claim of manifest.claims ?? []) claims.set(claim, { ...targetOf(id, each, item), protocol: manifest.protocols?.[claim] });
    extensions.set(id, {
      manifest,
      state: stateOf(id, each, installed),
      error: item.error,
      builtin: item.builtin,
      loaded_at: each?.loaded_at,
      hash: item.bundle.hash,
      restarts: item.restarts,
    });
  }
  return { generation, operations, claims, extensions };
}

function stateOf(id: string, running: Running | undefined, installed: ReadonlyMap<string, Installed>): ExtensionState {
  if (running) return installed.get(id)?.restarting ? 'restarting' : 'active';
  return isDisabled(id, installed) ? 'disabled' : 'failed';
}

/** Returns whether an administrator disabled the extension or one of its dependencies. */
function isDisabled(id: string, installed: ReadonlyMap<string, Installed>, above: readonly string[] = []): boolean {
  const item = installed.get(id);
  if (!item || above.includes(id)) return false;
  const needed = Object.keys(item.bundle.manifest.dependencies ?? {});
  return !item.enabled || needed.some((each) => isDisabled(each, installed, [...above, id]));
}

/** Returns the claims with every target unavailable, for the shutdown. */
export function closedClaims(claims: ReadonlyMap<string, Target<Cell>>): Map<string, Target<Cell>> {
  const reason = 'The platform is shutting down';
  return new Map([...claims].map(([claim, { extension, protocol }]) => [claim, { kind: 'unavailable', extension, protocol, reason }]));
}

function targetOf(extension: string, running: Running | undefined, { error }: Installed): Target<Cell> {
  if (!running) return { kind: 'unavailable', extension, reason: error ?? `Extension '${extension}' is not active` };
  if (running.cell === undefined) return { kind: 'unavailable', extension, reason: `Extension '${extension}' has no HTTP side here` };
  assert(running.phase !== 'activating');
  return { kind: 'cell', extension, cell: running.cell };
}
