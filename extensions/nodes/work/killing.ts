import { setTimeout as sleep } from 'node:timers/promises';
import { statusOf } from '../engines/failures.js';
import { ExecStream } from './exec-stream.js';
import type { NodeContainer } from './node-container.js';
import { kill, killed } from './scripts.js';

/** Target of a kill. */
export interface Victim {
  /** Process id of its leader; undefined if unknown. */
  leader: string | undefined;
  /** Mark in the environments of its processes. */
  mark: string;
  /** User it runs as; the image's own if omitted. */
  user: string | undefined;
}

/** Time limit in ms. */
const kill_ms = 1_500;
/** Limit of its output in characters. */
const max_word_length = 64;

/** Kills all processes of a call. Returns whether that succeeded in time; never throws. */
export type Killer = (place: NodeContainer, victim: Victim) => Promise<boolean>;

/** Kills with the container's own shell. */
export const killInside: Killer = async (place, { leader = '', mark, user }) => {
  let stream: ExecStream | undefined;
  const work = (async () => {
    stream = await ExecStream.start(place, { argv: ['/bin/sh', '-c', kill, 'kill', leader, mark], user });
    let said = '';
    for await (const { bytes } of stream.frames()) said = (said + bytes.toString()).slice(-max_word_length);
    // If an engine can't start it, it says so and ends the stream as well.
    return said.includes(killed);
  })().catch(() => false);
  const done = await Promise.race([work, sleep(kill_ms, false, { ref: false })]);
  stream?.destroy();
  return done;
};

/** Tries killers in order. Returns whether nothing is left; never throws. */
export async function killBy(killers: readonly Killer[], place: NodeContainer, victim: Victim): Promise<boolean> {
  for (const killer of killers) if (await killer(place, victim)) return true;
  return hasEnded(place);
}

/** Returns whether the container has ended: then it has no processes. */
async function hasEnded({ container }: NodeContainer): Promise<boolean> {
  try {
    return !(await container.inspect()).State.Running;
  } catch (fault) {
    return statusOf(fault) === 404;
  }
}
