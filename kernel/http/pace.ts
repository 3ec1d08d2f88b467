import type { IncomingMessage } from 'node:http';

/** What is read of one body before everything else in the process has had its turn. */
const turn_bytes = 256 * 1024;

/**
 * Has a body read in turns with everything else, from the moment that somebody reads it. Left alone, Node takes two megabytes of each
 * from its socket before it looks at anything else, and whoever takes a body apart takes milliseconds for each of them.
 */
export function pace(body: IncomingMessage): void {
  // Whoever listens for data earlier than its reader would have it read to nobody.
  body.once('resume', () => {
    let read = 0;
    body.on('data', (piece: Buffer) => {
      if (read === 0) {
        setImmediate(() => {
          read = 0;
          body.resume();
        });
      }
      read += piece.length;
      if (read >= turn_bytes) body.pause();
    });
  });
}
