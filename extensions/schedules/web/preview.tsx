import { failureText, useTexts } from '@platform/kit';
import { useDeferredValue } from 'react';
import type { NewTrigger, Preview } from '../contract.js';
import { api } from './api.js';
import { catalogue } from './texts/index.js';

/** Shows the next times of a schedule in its zone, while it is being written. */
export function NextTimes({ trigger }: { trigger: NewTrigger }) {
  const text = useTexts(catalogue);
  const asked = useDeferredValue(trigger);
  const { data, error } = api.useRead(
    'schedules.preview_new',
    { ...asked, count: 5 },
    { enabled: asked.trigger_value.trim() !== '', keep: true },
  );
  if (asked.trigger_value.trim() === '') return <span>{text.previewHelp}</span>;
  if (error) {
    const { title, detail } = failureText(error);
    return <span className="schedules-fault">{detail ?? title}</span>;
  }
  return <Times times={data?.times} />;
}

/** Shows planned times as the clocks of the schedule's zone will show them. */
export function Times({ times }: { times: Preview['times'] | undefined }) {
  const text = useTexts(catalogue);
  if (times === undefined) return <span>…</span>;
  if (times.length === 0) return <span>{text.noTimes}</span>;
  return (
    <ul className="schedules-times">
      {times.map(({ at, local }) => (
        <li key={at}>
          <time dateTime={at}>{local}</time>
        </li>
      ))}
    </ul>
  );
}
