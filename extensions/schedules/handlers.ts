import type { Handlers } from '../../kernel/contract/index.js';
import type { SchedulesApi } from './contract.js';
import type { HttpCaller } from './http-caller.js';
import type { Service } from './service.js';

/** The function of each operation. */
export function handlersOf({ service, http }: { service: Service; http: HttpCaller }): Handlers<SchedulesApi> {
  return {
    'schedules.list': (query) => service.list(query),
    'schedules.get': ({ id }) => service.get(id),
    'schedules.create': (schedule, { caller }) => service.create(schedule, caller),
    'schedules.update': ({ id, ...change }, { caller }) => service.update(id, change, caller),
    'schedules.delete': async ({ id }) => {
      await service.delete(id);
      return undefined;
    },
    'schedules.toggle': ({ id }, { caller }) => service.toggle(id, caller),
    'schedules.run': ({ id }) => service.run(id),
    'schedules.history': ({ id, ...query }, { caller }) => service.history(id, query, caller),
    'schedules.run_record': ({ id, run_id }, { caller }) => service.runRecord(id, run_id, caller),
    'schedules.cancel': ({ id, run_id }, { caller }) => service.cancel(id, run_id, caller),
    'schedules.preview': ({ id, count }) => service.preview(id, count),
    'schedules.preview_new': ({ count, ...trigger }) => service.previewOf(trigger, count),
    'http.request': (request, { signal }) => http.request(request, signal),
  };
}
