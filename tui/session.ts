import type { SocketOptions } from '../kernel/client/socket.js';
import type { Transport } from '../kernel/client/transport.js';

/** What the dashboard needs of the way to an installation. */
export interface Session {
  transport: Transport;
  /** `direct`: no server runs, and this process has the data folder. */
  way: 'http' | 'local' | 'direct';
  /** How the header names the installation. */
  name: string;
  /** How what it tells by itself is reached. */
  live: Pick<SocketOptions, 'url' | 'authorization' | 'socket'>;
}
