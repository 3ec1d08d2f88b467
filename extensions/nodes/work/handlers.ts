import type { Handlers } from '../../../kernel/contract/index.js';
import { commandStream, type Run } from './admin/command-stream.js';
import { logStream } from './admin/logs.js';
import type { WorkApi } from './operations.js';
import type { WorkParts } from './work.js';

/** Maps each operation of {@link WorkApi} to its function. */
export function workHandlers({ places, execs, archives }: WorkParts): Handlers<WorkApi> {
  return {
    'nodes.exec': async ({ id, ...input }, request) => {
      const place = await places.open(id);
      // A text needs a shell, and fails without one; a program may run without.
      const alone = place.node.shell === false && typeof input.command !== 'string';
      const run: Run = (...given) => (alone ? execs.runAlone(...given) : execs.run(...given));
      return commandStream(place, { id, ...input }, { run, request });
    },
    'nodes.logs': async ({ id, ...query }, { signal }) => logStream(await places.open(id), query, signal),
    'nodes.files_get': async ({ id, path }, { signal }) => archives.get(await places.open(id), path, signal),
    'nodes.files_put': async ({ id, path, file }, { signal }) => {
      await archives.put(await places.open(id), path, { file: file.path, signal });
      return { path, bytes: file.bytes };
    },
  };
}
