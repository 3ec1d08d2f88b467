import type { Rows } from './row.js';
import { chatRows } from './rows/chat.js';
import { extensionRows } from './rows/extensions.js';
import { nodesRows } from './rows/nodes.js';
import { peopleRows } from './rows/people.js';
import { loginRows, programRows } from './rows/program.js';
import { workRows } from './rows/work.js';

/** Every command of the program. They are run in this order, since some need what those before have left. */
export const table: Rows = {
  ...programRows,
  ...workRows,
  ...chatRows,
  ...nodesRows,
  ...extensionRows,
  ...peopleRows,
  ...loginRows,
};
