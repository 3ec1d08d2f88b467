import type { CommandHint, Contributions, OperationData, PanelHint } from '../../contract/manifest.js';
import type { Operation } from '../../contract/operation.js';

/** The exports of an extension's tables. */
export interface Tables {
  operations?: Readonly<Record<string, Operation>>;
  commands?: readonly CommandHint[];
  panels?: readonly PanelHint[];
}

/** Returns an extension's contributions as data, as the build writes them into its manifest. */
export function contributionsOf(
  { operations, commands, panels }: Tables,
  describe: (operation: Operation) => OperationData,
): Contributions {
  const described = operations && Object.fromEntries(Object.entries(operations).map(([id, operation]) => [id, describe(operation)]));
  return { ...(described && { operations: described }), ...(commands && { commands }), ...(panels && { panels }) };
}
