import { EventEmitter } from 'node:events';

/**
 * What a cell takes for its listener. A hapi server wants one to start, and only a started server keeps
 * connections alive; but the one real listener is the front's.
 */
export class SilentListener extends EventEmitter {
  address(): { address: string; port: number; family: string } {
    return { address: '127.0.0.1', port: 0, family: 'IPv4' };
  }

  listen(): this {
    return this;
  }

  close(closed?: () => void): this {
    closed?.();
    return this;
  }
}
