import {
  type Caller,
  fail as failInput,
  mayAdminister,
  type Tool,
  type ToolContext,
  type ToolProvider,
} from '../../kernel/contract/index.js';
import type { NewSchedule, Schedule, TriggerType } from './contract.js';

interface ScheduleRequest {
  when: string;
  timezone?: string;
  prompt: string;
}

/** The AI employee that schedules its work, and the room in which it does. */
interface Origin {
  employee_id: number;
  room: { session_id: string; username: string } | undefined;
}

type InvokeAs = (operation: string, input: object, caller: Caller) => Promise<unknown>;

const input = {
  type: 'object',
  properties: {
    when: {
      type: 'string',
      description: 'An interval (15m, 2h), a cron expression of five fields (0 9 * * 1-5), or an ISO 8601 time (2027-01-31T09:00:00Z)',
    },
    timezone: {
      type: 'string',
      description: 'The zone of a cron expression and of a time without an offset, such as Europe/Berlin. Default: UTC',
    },
    prompt: { type: 'string', description: 'Your instructions for each run; you will have no other context then' },
  },
  required: ['when', 'prompt'],
  additionalProperties: false,
};

const interval = /^\d+[mh]$/;
const cron = /^(?:[\d*,/A-Za-z-]+\s+){4}[\d*,/A-Za-z-]+$/;
const instant = /^\d{4}-\d{2}-\d{2}T\S+$/;

/** Lets an AI employee schedule its own work, for a requester who may create schedules. */
export class SchedulingTools implements ToolProvider {
  readonly name = 'schedules';
  readonly #invoke: InvokeAs;
  readonly #usernameOf: (member_id: number) => Promise<string>;

  /** `invoke` runs an operation as a given caller. */
  constructor(invoke: InvokeAs, usernameOf: (member_id: number) => Promise<string>) {
    this.#invoke = invoke;
    this.#usernameOf = usernameOf;
  }

  brings(name: string): boolean {
    return name === 'schedule';
  }

  async #originOf(employee_id: number, { room }: Pick<Caller, 'room'>): Promise<Origin> {
    if (!room) return { employee_id, room };
    return { employee_id, room: { session_id: room.session_id, username: await this.#usernameOf(employee_id) } };
  }

  tools({ asker, employee }: ToolContext): Tool[] {
    if (!mayAdminister(asker)) return [];
    return [
      {
        name: 'schedule',
        title: 'schedule',
        description: 'Schedules work for you to do later, once or repeatedly; each run has its own conversation.',
        input,
        effect: 'dangerous',
        audience: 'admin',
        slash: {
          command: 'schedule',
          usage: '/schedule [--timezone <zone>] <when> <what>',
          about: 'Schedules work for me, as `/schedule 1h Look at the inbox`. It asks you first; each run has its own conversation.',
          parse,
        },
        call: async (args, use) => {
          const planned = scheduleOf(args as ScheduleRequest, await this.#originOf(employee.member_id, asker));
          const schedule = (await this.#invoke('schedules.create', planned, use.asker)) as Schedule;
          return { output: `Schedule ${schedule.id} was created. Its next run is at ${schedule.next_run_at}.` };
        },
      },
    ];
  }
}

/** Parses `15m Look at the inbox`, `0 9 * * 1-5 Write the report`, `--timezone Europe/Berlin 2027-01-31T09:00 Say hello`. */
function parse(rest: string): ScheduleRequest {
  const [, timezone, planned = ''] = /^(?:--timezone[\s=]+(\S+)\s*)?([\s\S]*)$/.exec(rest.trim()) ?? [];
  const words = planned.split(/\s+/);
  const [first = ''] = words;
  const length = interval.test(first) || instant.test(first) ? 1 : 5;
  const when = words.slice(0, length).join(' ');
  const prompt = words.slice(length).join(' ');
  typeOf(when);
  if (prompt === '') throw failInput('invalid_input', 'write the instructions for the run after the time');
  return { when, prompt, ...(timezone === undefined ? {} : { timezone }) };
}

/** Returns a schedule of a task, or in a room of a message that mentions the AI employee, so that everyone sees its answers. */
function scheduleOf({ when, timezone = 'UTC', prompt }: ScheduleRequest, { employee_id, room }: Origin): NewSchedule {
  const name = prompt.length > 60 ? `${prompt.slice(0, 59).toWellFormed()}…` : prompt;
  const trigger = { trigger_type: typeOf(when), trigger_value: when, timezone };
  const task = { action: 'tasks.run', params: { member_id: employee_id, prompt } };
  const message = room && { action: 'chat.send', params: { session_id: room.session_id, content: `@${room.username} ${prompt}` } };
  return { name, ...trigger, ...(message ?? task), timeout_s: 1_800 };
}

function typeOf(when: string): TriggerType {
  if (interval.test(when)) return 'interval';
  if (instant.test(when)) return 'once';
  if (cron.test(when)) return 'cron';
  throw failInput(
    'invalid_input',
    `'${when.slice(0, 60)}' is not a time: write 15m, 2h, five cron fields such as 0 9 * * 1-5, or 2027-01-31T09:00:00Z`,
  );
}
