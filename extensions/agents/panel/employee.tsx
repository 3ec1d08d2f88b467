import { ago, Box, Fields, mayAdminister, number, percent, Sparkline, useCall, useSpace } from '../../../tui/kit/index.js';
import type { VirtualMember } from '../../members/contract.js';
import type { EmployeeSettings, UsageReport } from '../contract.js';
import type { Props, Work } from './api.js';
import { WorkList } from './work-list.js';

export interface EmployeeProps {
  panel: Props;
  employee: VirtualMember;
  works: readonly Work[] | undefined;
  again: () => void;
}

const days_width = 30;

/** Shows an AI employee: settings, usage and current work. */
export function Employee({ panel, employee, works, again }: EmployeeProps) {
  const { client, me, clock } = panel;
  const { rows } = useSpace();
  const { id: member_id } = employee;
  const isAdmin = mayAdminister(me);
  const settings = useCall(
    async (signal) => (isAdmin ? client.agents.get({ member_id }, { signal }) : undefined),
    [client, member_id, isAdmin],
    { every_ms: 10_000 },
  );
  const usage = useCall(
    async (signal) => (isAdmin ? client.agents.usage({ member_id }, { signal }) : undefined),
    [client, member_id, isAdmin],
    { every_ms: 10_000 },
  );
  const fields = [...plain(employee), ...(settings.value ? setUp(settings.value, clock()) : []), ...(usage.value ? used(usage.value) : [])];
  const days = usage.value?.days.map(({ input_tokens, output_tokens }) => input_tokens + output_tokens) ?? [];
  const chart = days.length > 1 ? 1 : 0;
  return (
    <Box flexDirection="column">
      <Fields of={fields} />
      {chart === 1 && <Sparkline values={days} width={Math.min(days_width, days.length)} />}
      <WorkList
        panel={panel}
        works={works?.filter((work) => work.member_id === member_id)}
        error={settings.error}
        again={again}
        height={Math.max(3, rows - fields.length - chart)}
      />
    </Box>
  );
}

type Field = readonly [label: string, value: unknown];

function plain({ name, id, post, mode, status, oversight }: VirtualMember): Field[] {
  return [
    ['Name', `${name} (${id})`],
    ['Post', post || '-'],
    ['Mode', `${mode}, ${status}${oversight ? ', administrators may read along' : ''}`],
  ];
}

function setUp({ model, tools, skills, updated_at }: EmployeeSettings, now: number): Field[] {
  return [
    ['Model', model === null ? "the platform's" : `${model.model || 'any'} at ${model.base_url || "the platform's"}`],
    ['May use', `${countOf(tools)} tools, ${countOf(skills)} skills; set ${updated_at === null ? 'never' : ago(updated_at, now)}`],
  ];
}

function used({ budget, input_tokens, output_tokens, replies }: UsageReport): Field[] {
  const today = budget.limit === 0 ? `${number(budget.used)} tokens, no limit` : `${number(budget.used)} of ${number(budget.limit)} tokens`;
  const share = budget.limit === 0 ? '' : ` (${percent((100 * budget.used) / budget.limit)})`;
  return [
    ['Today', `${today}${share}${budget.paused ? ', paused until tomorrow' : ''}`],
    ['Lately', `${number(input_tokens)} tokens read, ${number(output_tokens)} written, ${number(replies)} replies`],
  ];
}

function countOf(all: 'all' | readonly string[]): string {
  return all === 'all' ? 'all' : String(all.length);
}
