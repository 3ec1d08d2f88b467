import type { Joi } from '../../kernel/contract/index.js';
import { id } from './shapes.js';

/** `read {session_id}`: the member has read all of a session. */
export interface SessionFrame {
  session_id: string;
}

/** `typing {session_id, state}`: the member types there, or no longer. */
export interface TypingFrame extends SessionFrame {
  state: 'start' | 'stop';
}

export const sessionFrame = (j: Joi) => j.object({ session_id: id(j).required() });

export const typingFrame = (j: Joi) => j.object({ session_id: id(j).required(), state: j.string().valid('start', 'stop').required() });
