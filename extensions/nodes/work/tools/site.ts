import type { ToolUse } from '../../../agents/contract.js';
import { fail } from '../../codes.js';
import type { Lodger } from '../folders.js';
import type { Place } from '../place.js';
import type { Places } from '../places.js';

/** Where an AI employee works for whoever asks. */
export class Site {
  readonly #places: Pick<Places, 'open'>;
  readonly #employee_id: number;

  constructor(places: Pick<Places, 'open'>, employee_id: number) {
    this.#places = places;
    this.#employee_id = employee_id;
  }

  /** Read again for each call. @throws `node_offline` where there is no node any more, and what {@link Places.open} throws */
  async open({ node_id, asker }: Pick<ToolUse, 'node_id' | 'asker'>): Promise<{ place: Place; lodger: Lodger }> {
    if (node_id === null) throw fail('node_offline', 'There is no node any more on which you may work for this member');
    const place = await this.#places.open(node_id);
    return { place, lodger: { member_id: asker.member_id, employee_id: this.#employee_id } };
  }
}
