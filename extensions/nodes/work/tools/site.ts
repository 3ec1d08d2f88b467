import { isFailure, type ToolUse } from '../../../../kernel/contract/index.js';
import { fail } from '../../codes.js';
import { engineCodes } from '../../engines/codes.js';
import type { Lodger } from '../folders.js';
import type { Place } from '../place.js';
import type { Places } from '../places.js';

/** Failures whose sentences may hold an engine's address or its words. */
const engines_own: ReadonlySet<string> = new Set([...Object.keys(engineCodes), 'node_offline', 'image_pull_failed', 'container_failed']);

/**
 * What members and models are told of a fault. Where an engine is, and what it says, is the administrators' to know.
 *
 * @param name the node's; undefined where it is gone
 */
function forMembers(fault: unknown, name: string | undefined): unknown {
  if (!isFailure(fault)) return fault;
  const node = name === undefined ? 'The node' : `The node '${name}'`;
  if (fault.code === 'no_shell') return fail('no_shell', `${node} has no shell, so commands can't be run in it`, { cause: fault });
  if (!engines_own.has(fault.code)) return fault;
  if (fault.code === 'container_failed')
    return fail('container_failed', `${node} runs, but can't run commands; its administrators see why`, { cause: fault });
  return fail('node_offline', `${node} is offline; its administrators see why`, { cause: fault });
}

export interface SiteParts {
  nodes: { find(id: number): Promise<{ name: string } | undefined> };
  places: Pick<Places, 'open'>;
}

/** Where somebody's work is done. */
interface Desk {
  place: Place;
  lodger: Lodger;
}

/** Where an AI employee works for whoever asks. */
export class Site {
  readonly #parts: SiteParts;
  readonly #employee_id: number;

  constructor(parts: SiteParts, employee_id: number) {
    this.#parts = parts;
    this.#employee_id = employee_id;
  }

  /**
   * Works there. Where is read again for each call.
   *
   * @throws what the work throws; what is wrong with the node's engine is `node_offline`, without the engine's words
   */
  async work<T>(
    { node_id, asker }: Pick<ToolUse, 'node_id'> & { asker: { member_id: number } },
    work: (desk: Desk) => Promise<T>,
  ): Promise<T> {
    if (node_id === null) throw fail('node_offline', 'There is no node any more on which you may work for this member');
    const { nodes, places } = this.#parts;
    try {
      const place = await places.open(node_id);
      return await work({ place, lodger: { member_id: asker.member_id, employee_id: this.#employee_id } });
    } catch (fault) {
      throw forMembers(fault, (await nodes.find(node_id))?.name);
    }
  }
}
