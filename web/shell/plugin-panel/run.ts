import { Failure } from '../../../kernel/contract/failure.js';
import type { CatalogRecord } from '../../../kernel/contract/system.js';
import { connection } from '../../kit/data/connection.js';

export type PanelOperations = CatalogRecord['operations'];

/** Calls one of the plugin's operations as the catalog describes it, which is more than the start does. */
export async function runPanelOperation(known: PanelOperations, id: string, input: object, signal?: AbortSignal): Promise<unknown> {
  const operation = known[id];
  if (!operation) throw new Failure('operation_not_found', `The operation '${id}' no longer exists`, { status: 404 });
  return (await connection().transport.call({ id, operation, input, options: { signal } })).body;
}
