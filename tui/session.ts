import type { SocketOptions } from '../kernel/client/socket.js';
import type { Transport } from '../kernel/client/transport.js';

/** The connection to an installation, as the dashboard needs it. */
export interface Session {
  transport: Transport;
  /** `direct`: no server is running, and this process holds the data folder. */
  way: 'http' | 'local' | 'direct';
  /** Name of the installation for the header. */
  name: string;
  /** Options for the live connection. */
  live: Pick<SocketOptions, 'url' | 'authorization' | 'socket'>;
}
