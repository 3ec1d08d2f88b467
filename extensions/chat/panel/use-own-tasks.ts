import { useCall } from '../../../tui/kit/index.js';
import type { Session } from '../contract.js';
import type { Props } from './api.js';

/** Returns the member's own tasks among those of a room; others may not stop or approve them. */
export function useOwnTasks({ client }: Props, { id, target_type }: Session, active: readonly string[] = []): readonly string[] {
  const isNeeded = target_type === 'room' && active.length > 0;
  const tasks = useCall(
    async (signal) => (isNeeded ? client.tasks.active({}, { signal }) : []),
    [client, id, isNeeded ? active.join() : ''],
  );
  const own = tasks.value?.filter(({ session_id }) => session_id === id).map((task) => task.id) ?? [];
  return own.filter((task_id) => active.includes(task_id));
}
