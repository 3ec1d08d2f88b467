import type { Readers } from '../../contract/socket.js';

/** Socket topics of the kernel, with their readers. */
export const kernelTopics: Readonly<Record<string, Readers>> = { extensions: 'admin', log: 'admin' };

/** Frame types and topics of `/ws` that no extension may use. */
export const kernelNames: Readonly<Record<'topics' | 'frames', readonly string[]>> = {
  topics: Object.keys(kernelTopics),
  frames: ['auth', 'ping', 'presence', 'subscribe', 'unsubscribe', 'ack', 'error', 'hello', 'pong', 'resync'],
};
