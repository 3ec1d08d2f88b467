import type { Permissions } from '../../kernel/contract/index.js';
import type { PermissionChange, ReviewDetail } from './contract.js';

/** What a version may do beside another; all of it where there is none. */
export function permissionChanges(before: Permissions | undefined, after: Permissions | undefined): ReviewDetail['permissions'] {
  const [old, now] = [listed(before), listed(after)];
  const without = (list: readonly PermissionChange[], other: readonly PermissionChange[]) =>
    list.filter(({ permission, value }) => !other.some((each) => each.permission === permission && each.value === value));
  return { added: without(now, old), removed: without(old, now) };
}

/** `network: example.org` and the like, in one line. */
export function shownChanges(changes: readonly PermissionChange[]): string {
  return changes.map(({ permission, value }) => (value === 'true' ? permission : `${permission}: ${value}`)).join(', ');
}

function listed(permissions: Permissions = {}): PermissionChange[] {
  return Object.entries(permissions).flatMap(([permission, value]: [string, boolean | readonly string[]]) => {
    const values = value === true ? ['true'] : value === false ? [] : value;
    return values.map((each) => ({ permission: permission as keyof Permissions, value: each }));
  });
}
