import { agentsRows } from './rows/agents.js';
import { chatRows } from './rows/chat.js';
import { helloRows } from './rows/hello.js';
import { kernelRows } from './rows/kernel.js';
import { marketplaceRows } from './rows/marketplace.js';
import { membersRows } from './rows/members.js';
import { nodesRows } from './rows/nodes.js';
import { notificationsRows } from './rows/notifications.js';
import { schedulesRows } from './rows/schedules.js';
import type { Asker, Side } from './side.js';

/** One use of an operation. */
export interface Row {
  /** The rule that it shows. */
  name: string;
  /** Default `ada`, or `admin` where only administrators may. */
  asker?: Asker;
  /** The input, or how to make it, with whatever must be there before. */
  input: object | ((side: Side) => object | Promise<object>);
  /** Part of the body that a success must have. */
  body?: unknown;
  /** Default: the operation's own. */
  status?: number;
  /** The code of a failure. */
  code?: string;
  /** The type of a stream's last event. Default `done`. */
  last?: string;
}

export interface Uses {
  /** Where there is none, {@link elsewhere} says why. */
  success: readonly Row[];
  /** The test that shows its success, since that takes more than there is here; and an input that is good as far as can be seen. */
  elsewhere?: { test: string; input: Row['input'] };
  /** Besides those that every operation of its kind has: nobody, a forged token, too small a role or scope. */
  failures: readonly Row[];
  /** Why it has fewer than three failures. */
  cannot_fail?: string;
}

/** A use that would succeed, if only all that it takes were here. */
export function goodUse({ success, elsewhere }: Uses): Pick<Row, 'input' | 'asker'> {
  const use = success[0] ?? elsewhere;
  if (!use) throw new Error('An operation must have a success, or say where it is shown');
  return use;
}

/** Uses of every operation. One that is missing here fails the test. */
export const table: Readonly<Record<string, Uses>> = {
  ...kernelRows,
  ...membersRows,
  ...chatRows,
  ...agentsRows,
  ...nodesRows,
  ...schedulesRows,
  ...notificationsRows,
  ...marketplaceRows,
  ...helloRows,
};
