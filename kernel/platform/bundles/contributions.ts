import type { CommandHint, Contributions, OperationData, PanelHint } from '../../contract/manifest.js';
import type { Operation } from '../../contract/operation.js';

/** What an extension's tables export. */
export interface Tables {
  operations?: Readonly<Record<string, Operation>>;
  commands?: readonly CommandHint[];
  panels?: readonly PanelHint[];
}

/** What an extension contributes, as data: what the build writes into its manifest. */
export function contributionsOf(
  { operations, commands, panels }: Tables,
  describe: (operation: Operation) => OperationData,
): Contributions {
  const described = operations && Object.fromEntries(Object.entries(operations).map(([id, operation]) => [id, describe(operation)]));
  return { ...(described && { operations: described }), ...(commands && { commands }), ...(panels && { panels }) };
}
