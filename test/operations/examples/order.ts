import type { Documented } from './calls.js';

/** Operations after which others would fail: they run last, in this order. */
const last = [
  'auth.accept_invitation',
  'invitations.delete',
  'auth.confirm_device',
  'tokens.delete',
  'auth.end_session',
  'auth.end_sessions',
  'sessions.join',
  'sessions.remove_member',
  'messages.delete',
  'files.delete',
  'sessions.delete',
  'schedules.delete',
  'nodes.delete',
  'members.delete',
  'backups.delete',
  'marketplace.distrust_key',
  'marketplace.uninstall',
  'plugins.reload',
  'plugins.disable',
  'plugins.enable',
  'auth.password',
  'auth.logout',
];

/** Returns operations in an order in which all their examples work. */
export function order(operations: readonly Documented[]): Documented[] {
  const place = ({ id }: Documented) => last.indexOf(id);
  return operations.toSorted((one, other) => place(one) - place(other));
}
