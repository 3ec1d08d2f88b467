import { setTimeout as sleep } from 'node:timers/promises';
import { statusOf } from '../engines/failures.js';
import { ExecStream } from './exec-stream.js';
import type { Place } from './place.js';
import { kill, killed } from './scripts.js';

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
/** Of what it says, in characters. */
const max_word_length = 64;

/** Ends all processes of a call. Gives whether that was done in time; never throws. */
export type Killer = (place: Place, victim: Victim) => Promise<boolean>;

/** By the container's own shell. */
export const killInside: Killer = async (place, { leader = '', mark, user }) => {
  let stream: ExecStream | undefined;
  const work = (async () => {
    stream = await ExecStream.start(place, { argv: ['/bin/sh', '-c', kill, 'kill', leader, mark], user });
    let said = '';
    for await (const { bytes } of stream.frames()) said = (said + bytes.toString()).slice(-max_word_length);
    // An engine that can't start it says so, and ends the stream as well.
    return said.includes(killed);
  })().catch(() => false);
  const done = await Promise.race([work, sleep(kill_ms, false, { ref: false })]);
  stream?.destroy();
  return done;
};

/** By the first that can. Gives whether nothing is left; never throws. */
export async function killBy(killers: readonly Killer[], place: Place, victim: Victim): Promise<boolean> {
  for (const killer of killers) if (await killer(place, victim)) return true;
  return hasEnded(place);
}

/** What has ended has no processes. */
async function hasEnded({ container }: Place): Promise<boolean> {
  try {
    return !(await container.inspect()).State.Running;
  } catch (fault) {
    return statusOf(fault) === 404;
  }
}
