import type { Message } from '../contract.js';

export type { Approval } from '../../agents/contract.js';

/** A frame about a message. If it was too long for a frame, it has only the start of its text. */
export interface MessageFrame {
  message: Message;
  truncated: boolean;
}
