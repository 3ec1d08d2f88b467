import type { Readers } from '../../contract/socket.js';

/** Topics of `/ws` that the kernel itself publishes, with the role that may subscribe. */
export const kernelTopics: Readonly<Record<string, Readers>> = { extensions: 'admin', log: 'admin' };

/** Topics and frame types of `/ws` that belong to the kernel; an extension that registers one fails to activate. */
export const kernelNames: Readonly<Record<'topics' | 'frames', readonly string[]>> = {
  topics: Object.keys(kernelTopics),
  frames: ['auth', 'ping', 'presence', 'subscribe', 'unsubscribe', 'ack', 'error', 'hello', 'pong', 'resync'],
};
