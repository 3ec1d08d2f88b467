import { fail } from '../codes.js';
import { workspace } from '../containers/spec.js';
import { ExecStream } from './exec-stream.js';
import { workFault } from './faults.js';
import type { Place } from './place.js';

/** Far above the ids that images give to their own users. */
const first_uid = 100_000;

/** For whom work is done in a container. */
export interface Lodger {
  member_id: number;
  /** The AI employee that does it. */
  employee_id: number;
}

export interface Lodging {
  uid: number;
  /** As the engine takes it: user and group. */
  user: string;
  /** Readable by this member alone. */
  home: string;
}

/** A member has one user id in all nodes, and a folder for each AI employee that works for it. */
export function lodgingOf({ member_id, employee_id }: Lodger): Lodging {
  const uid = first_uid + member_id;
  return { uid, user: `${uid}:${uid}`, home: `${workspace}/m${member_id}/e${employee_id}` };
}

/**
 * As root, before a member's first command. From then on no member can make anything in the workspace, whoever may in the
 * image: neither another's folder nor a link.
 */
const prepare = `
umask 022
mkdir -p "$1" && chmod 0711 "$1" || exit 1
[ -L "$1/$2" ] && rm -f "$1/$2"
mkdir -p "$1/$2" && chown "$3:$3" "$1/$2" && chmod 0700 "$1/$2"
`;

/** How long that may take, in ms: a container may be paused, or its disk hang. */
const prepare_ms = 20_000;

/** Makes a member's own folder in a container. What is in it is the member's to make. Fails with the signal's reason where that aborts. */
export async function prepareFolder(place: Place, { member_id }: Lodger, signal: AbortSignal): Promise<void> {
  const { uid } = lodgingOf({ member_id, employee_id: 0 });
  const argv = ['/bin/sh', '-c', prepare, 'prepare', workspace, `m${member_id}`, String(uid)];
  const said: Buffer[] = [];
  const late = AbortSignal.timeout(prepare_ms);
  const over = AbortSignal.any([signal, late]);
  let stream: ExecStream | undefined;
  const stop = () => stream?.destroy();
  over.addEventListener('abort', stop);
  try {
    stream = await ExecStream.start(place, { argv, user: '0:0' });
    over.throwIfAborted();
    for await (const { bytes } of stream.frames()) if (said.length < 8) said.push(bytes);
    const code = await stream.exitCode();
    over.throwIfAborted();
    if (code === 0) return;
  } catch (fault) {
    signal.throwIfAborted();
    throw late.aborted
      ? fail('node_offline', `The node '${place.node.name}' did not make room for your files in time`)
      : workFault(fault, place);
  } finally {
    over.removeEventListener('abort', stop);
  }
  const words = Buffer.concat(said).toString().trim().slice(0, 300);
  throw fail('container_failed', `The node '${place.node.name}' has no room for your files: ${words}`);
}
