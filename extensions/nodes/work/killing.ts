import { setTimeout as sleep } from 'node:timers/promises';
import { ExecStream } from './exec-stream.js';
import type { Place } from './place.js';
import { kill } from './scripts.js';

/** Whose processes end. */
export interface Victim {
  /** The process id of its leader; undefined where it isn't known. */
  leader: string | undefined;
  /** What the environments of its processes hold. */
  mark: string;
  /** As whom it runs; left out: as the image's own. */
  user: string | undefined;
}

/** Until it is given up, in ms. */
const kill_ms = 1_500;

/** Ends all processes of a call. Gives whether that was done in time; never throws. */
export type Killer = (place: Place, victim: Victim) => Promise<boolean>;

/** By the container's own shell. */
export const killInside: Killer = async (place, { leader = '', mark, user }) => {
  let stream: ExecStream | undefined;
  const work = (async () => {
    stream = await ExecStream.start(place, { argv: ['/bin/sh', '-c', kill, 'kill', leader, mark], user });
    for await (const _frame of stream.frames());
    return true;
  })().catch(() => false);
  const done = await Promise.race([work, sleep(kill_ms, false, { ref: false })]);
  stream?.destroy();
  return done;
};
