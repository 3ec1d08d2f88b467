import type { Operations } from '../../kernel/contract/index.js';

/** What can be asked of this extension. */
export const operations = {} satisfies Operations<object>;
