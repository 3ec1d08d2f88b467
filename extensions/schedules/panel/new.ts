import { fail } from '../../../kernel/contract/index.js';
import type { Form, PanelProps } from '../../../tui/kit/index.js';
import type { SchedulesApi, TriggerType } from '../contract.js';

const kinds: readonly TriggerType[] = ['cron', 'interval', 'once'];

/** Form for a new schedule. */
export function newSchedule(client: PanelProps<SchedulesApi>['client']): Form {
  return {
    title: 'A new schedule; times as 0 9 * * 1-5, 15m, 2027-01-31T09:00:00Z',
    done: 'Schedule created',
    fields: [
      { name: 'name', label: 'Name' },
      { name: 'trigger_type', label: 'Kind', choices: kinds },
      { name: 'trigger_value', label: 'When' },
      { name: 'timezone', label: 'Time zone', value: 'UTC' },
      { name: 'action', label: 'Operation' },
      { name: 'params', label: 'Input (JSON)', value: '{}' },
    ],
    send: ({ name = '', trigger_type, trigger_value = '', timezone = '', action = '', params = '' }) =>
      client.schedules.create({
        name,
        trigger_type: trigger_type as TriggerType,
        trigger_value,
        ...(timezone.trim() === '' ? {} : { timezone: timezone.trim() }),
        action: action.trim(),
        params: objectOf(params),
      }),
  };
}

function objectOf(text: string): object {
  try {
    const value: unknown = JSON.parse(text.trim() || '{}');
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (cause) {
    throw refused(`Invalid JSON: ${(cause as Error).message}`);
  }
  throw refused('The JSON must be an object such as {"id":7}');
}

function refused(message: string) {
  return fail('invalid_input', message, { details: [{ path: 'params', message }] });
}
