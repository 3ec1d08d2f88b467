import type { PanelHint } from 'platform/contract';

/** The plugin's page in the dashboard: lists, creates and deletes hooks. */
export const panels: readonly PanelHint[] = [
  {
    title: 'Hooks',
    operation: 'acme.webhooks.list',
    columns: ['name', 'posted', 'last_at', 'error', 'path'],
    actions: [{ key: 'n', label: 'new hook', operation: 'acme.webhooks.create', of: 'list', shows: true }],
    remove: { operation: 'acme.webhooks.delete', confirm: 'Delete the hook? Whoever reports to it is refused from now on.' },
  },
];
