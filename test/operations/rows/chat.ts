import type { Uses } from '../table.js';
import { importRows } from './chat/imports.js';
import { memberRows } from './chat/members.js';
import { messageRows } from './chat/messages.js';
import { sessionRows } from './chat/sessions.js';
import { taskRows } from './chat/tasks.js';

export const chatRows: Record<string, Uses> = { ...memberRows, ...sessionRows, ...messageRows, ...taskRows, ...importRows };
