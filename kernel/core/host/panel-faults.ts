import type { Manifest, OperationData, PanelHint } from '../../contract/manifest.js';

/** Where an operation is named, and how it is used there. */
interface Use {
  path: string;
  id: string;
}

/** Every operation that a manifest's panels name. */
export function panelOperations({ contributes = {} }: Manifest): Use[] {
  return (contributes.panels ?? []).flatMap(usesOf);
}

/** Reports to `add` what panels can't do with the operations that they name. */
export function panelFaults({ contributes = {} }: Manifest, add: (path: string, message: string) => unknown): void {
  const { panels = [], operations = {} } = contributes;
  for (const { path, id } of panels.flatMap(usesOf)) {
    const { kind } = operations[id] ?? {};
    if (kind !== undefined && kind !== 'call') add(path, `names '${id}', which is no call but of the kind '${kind}'`);
  }
  for (const [index, { operation }] of panels.entries()) {
    const required = requiredOf(operations[operation]);
    if (required.length > 0)
      add(`contributes.panels.${index}.operation`, `names '${operation}', which needs '${required.join("', '")}': a panel gives no input`);
  }
}

function usesOf({ operation, details, actions = [], remove }: PanelHint, index: number): Use[] {
  const path = `contributes.panels.${index}`;
  return [
    { path: `${path}.operation`, id: operation },
    ...(details === undefined ? [] : [{ path: `${path}.details`, id: details }]),
    ...actions.map((action, at) => ({ path: `${path}.actions.${at}.operation`, id: action.operation })),
    ...(remove === undefined ? [] : [{ path: `${path}.remove.operation`, id: remove.operation }]),
  ];
}

function requiredOf(operation: OperationData | undefined): readonly string[] {
  return (operation?.input as { required?: readonly string[] } | undefined)?.required ?? [];
}
