import type { IncomingMessage } from 'node:http';

/** What is read of one body before everything else in the process has had its turn. */
const turn_bytes = 256 * 1024;

/**
 * Has a body read in turns with everything else, from the moment that somebody reads it. Left alone, Node takes two megabytes of each
 * from its socket before it looks at anything else, and whoever takes a body apart takes milliseconds for each of them. A reader
 * that has paused it, as a pipe does whose end is slow, is not sent any more of it.
 */
export function pace(body: IncomingMessage): void {
  const pause = body.pause.bind(body);
  const resume = body.resume.bind(body);
  let [read, isFull, isHeld] = [0, false, false];
  const next = () => {
    [read, isFull] = [0, false];
    if (!isHeld) resume();
  };
  body.pause = () => {
    isHeld = true;
    return pause();
  };
  body.resume = () => {
    isHeld = false;
    return isFull ? body : resume();
  };
  // Whoever listens for data earlier than its reader would have it read to nobody.
  body.once('resume', () => {
    body.on('data', (piece: Buffer) => {
      if (read === 0) setImmediate(next);
      read += piece.length;
      if (read < turn_bytes) return;
      isFull = true;
      pause();
    });
  });
}
