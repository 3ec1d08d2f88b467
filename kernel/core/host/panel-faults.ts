import type { Manifest, OperationData, PanelHint } from '../../contract/manifest.js';

/** Reference of a panel to an operation. */
interface OperationReference {
  path: string;
  id: string;
}

/** Returns all references of a manifest's panels to operations. */
export function panelOperations({ contributes = {} }: Manifest): OperationReference[] {
  return (contributes.panels ?? []).flatMap(referencesOf);
}

/** Reports operations that panels can't use. */
export function panelFaults({ contributes = {} }: Manifest, add: (path: string, message: string) => unknown): void {
  const { panels = [], operations = {} } = contributes;
  for (const { path, id } of panels.flatMap(referencesOf)) {
    const { kind } = operations[id] ?? {};
    if (kind !== undefined && kind !== 'call') add(path, `names '${id}', whose kind is '${kind}', not 'call'`);
  }
  for (const [index, { operation }] of panels.entries()) {
    const required = requiredOf(operations[operation]);
    if (required.length > 0)
      add(
        `contributes.panels.${index}.operation`,
        `names '${operation}', which requires '${required.join("', '")}': a panel sends no input`,
      );
  }
}

function referencesOf({ operation, details, actions = [], remove }: PanelHint, index: number): OperationReference[] {
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
