import { Badge, Button, Empty, Failed, LinkButton, Loading, Page, TextField, Time, useGo, useKept, useTexts } from '@platform/kit';
import { Table } from '@platform/kit/forms';
import { useDeferredValue, useState } from 'react';
import type { Schedule } from '../contract.js';
import { api, on } from './api.js';
import { StatusBadge } from './status.js';
import { catalogue } from './texts/index.js';

const page_size = 50;

/** Shows all schedules with their next times and last results. */
export function Schedules() {
  const text = useTexts(catalogue);
  const go = useGo();
  const [keyword, setKeyword] = useKept('schedules.keyword', '');
  const [limit, setLimit] = useState(page_size);
  const asked = useDeferredValue(keyword.trim());
  const query = { limit: Math.min(limit, 200), offset: 0, ...(asked !== '' && { keyword: asked }) };
  const { data, error, again } = api.useRead('schedules.list', query, { on, keep: true });
  const add = (
    <LinkButton kind="primary" icon="add" to="/schedules/new">
      {text.add}
    </LinkButton>
  );
  return (
    <Page title={text.title} text={text.about} actions={add}>
      <TextField label={text.find} hidesLabel icon="search" placeholder={text.find} type="search" value={keyword} onChange={setKeyword} />
      {error && !data ? <Failed error={error} again={again} /> : undefined}
      {!data && !error ? <Loading lines={6} /> : undefined}
      {data ? (
        <Table<Schedule>
          label={text.title}
          rows={data.items}
          onOpen={({ id }) => go(`/schedules/${id}`)}
          empty={<Empty icon="schedule" title={text.none} text={text.noneHelp} action={add} />}
          columns={[
            { id: 'name', label: text.name, show: ({ name }) => name, sortBy: ({ name }) => name },
            {
              id: 'action',
              label: text.action,
              show: ({ action }) => <code>{action}</code>,
              sortBy: ({ action }) => action,
              isExtra: true,
            },
            { id: 'when', label: text.when, show: (schedule) => <code>{schedule.trigger_value}</code>, isExtra: true },
            {
              id: 'next',
              label: text.next,
              show: ({ next_run_at, disabled_reason }) =>
                next_run_at === null ? (
                  <Badge kind={disabled_reason === 'five_failures' ? 'danger' : 'neutral'}>{text.off}</Badge>
                ) : (
                  <Time iso={next_run_at} ago />
                ),
              sortBy: ({ next_run_at }) => next_run_at,
            },
            {
              id: 'last',
              label: text.last,
              show: ({ last_status }) => (last_status === null ? '–' : <StatusBadge status={last_status} />),
              sortBy: ({ last_status }) => last_status,
            },
          ]}
        />
      ) : undefined}
      {data && data.total > limit && limit < 200 ? (
        <Button kind="quiet" onClick={() => setLimit(limit + page_size)}>
          {text.more}
        </Button>
      ) : undefined}
    </Page>
  );
}
