import type { Readers } from '../../contract/socket.js';

/** The topics that the kernel itself has for sockets. */
export const kernelTopics: Readonly<Record<string, Readers>> = { extensions: 'admin', log: 'admin' };

/** Frame types and topics of `/ws` that no extension may use. */
export const kernelNames: Readonly<Record<'topics' | 'frames', readonly string[]>> = {
  topics: Object.keys(kernelTopics),
  frames: ['auth', 'ping', 'presence', 'subscribe', 'unsubscribe', 'ack', 'error', 'hello', 'pong', 'resync'],
};
