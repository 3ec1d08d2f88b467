import type { IncomingMessage } from 'node:http';
import { posix } from 'node:path';
import type Docker from 'dockerode';
import { fail } from '../codes.js';
import { workspace } from '../containers/spec.js';
import { plain, statusOf } from '../engines/failures.js';
import { workFault } from './faults.js';
import { tarOfFolders } from './furnishing/tar.js';
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

/** How long that may take, in ms: a container may be paused, or its disk hang. */
const prepare_ms = 20_000;

/**
 * Makes a member's folder and an AI employee's in it, and closes the workspace to everyone but root. The engine does it: in
 * the container neither root's powers nor any program can be relied on. A link or file in a folder's place goes.
 *
 * @throws `container_failed`, `node_offline`, and the signal's reason
 */
export async function prepareFolder(place: Place, lodger: Lodger, signal: AbortSignal): Promise<void> {
  const late = AbortSignal.timeout(prepare_ms);
  const abortSignal = AbortSignal.any([signal, late]);
  const { name } = place.node;
  try {
    const { dir, base } = posix.parse(await realPath(place.container, abortSignal));
    await place.container.putArchive(foldersOf(base, lodger), { path: dir, abortSignal });
  } catch (fault) {
    signal.throwIfAborted();
    if (late.aborted) throw fail('node_offline', `The node '${name}' did not make your working folder in time`, { cause: fault });
    const status = statusOf(fault);
    if (status === undefined || status === 404) throw workFault(fault, place);
    const words = plain((fault as Error).message);
    throw fail('container_failed', `The engine can't make a working folder on the node '${name}': ${words}`, { cause: fault });
  }
}

/** An image may have a link where the workspace is; its volume is then where that leads. */
async function realPath(container: Docker.Container, abortSignal: AbortSignal): Promise<string> {
  const answer = (await container.infoArchive({ path: workspace, abortSignal } as { path: string })) as unknown as IncomingMessage;
  answer.resume();
  const stat = String(answer.headers['x-docker-container-path-stat'] ?? '');
  const { linkTarget } = JSON.parse(Buffer.from(stat, 'base64').toString() || '{}') as { linkTarget?: string };
  return linkTarget || workspace;
}

function foldersOf(root: string, lodger: Lodger): Buffer {
  const { uid, home } = lodgingOf(lodger);
  const [member = '', employee = ''] = posix.relative(workspace, home).split('/');
  return tarOfFolders([
    // Nobody makes another's folder, or a link in its place.
    { path: root, mode: 0o711, uid: 0 },
    { path: `${root}/${member}`, mode: 0o700, uid },
    { path: `${root}/${member}/${employee}`, mode: 0o700, uid },
  ]);
}
