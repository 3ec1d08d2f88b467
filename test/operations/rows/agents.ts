import type { Uses } from '../table.js';

/** The extension answers in chats; it has no operations of its own. */
export const agentsRows: Record<string, Uses> = {};
