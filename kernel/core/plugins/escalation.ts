import type { Fault } from '../../contract/failure.js';
import type { Permissions } from '../../contract/manifest.js';

const lists = ['operations', 'events', 'network', 'env'] as const;
const switches = ['storage', 'public_routes'] as const;

/** What `asked` has beyond `granted`, each as the permission and what of it; empty where nothing. */
export function escalation(granted: Permissions, asked: Permissions): Fault[] {
  const more: Fault[] = [];
  for (const name of lists) {
    const missing = (asked[name] ?? []).filter((each) => !granted[name]?.includes(each));
    more.push(...missing.map((each) => ({ path: `permissions.${name}`, message: each })));
  }
  for (const name of switches) {
    if (asked[name] === true && granted[name] !== true) more.push({ path: `permissions.${name}`, message: 'true' });
  }
  return more;
}
