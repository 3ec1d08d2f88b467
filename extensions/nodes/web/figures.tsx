import { Failed, Section, useFormat, useTexts } from '@platform/kit';
import { LineChart } from '@platform/kit/charts';
import { useEffect, useState } from 'react';
import type { Stats } from '../contract.js';
import { api } from './api.js';
import { catalogue } from './texts/index.js';

const every_ms = 3_000;
/** Measurements that are kept: 15 minutes. */
const max_points = 300;

interface Point extends Stats {
  at: number;
}

/** Points by node, kept while the page is open, so that leaving a node and coming back shows the same line. */
const history = new Map<number, readonly Point[]>();

/** Shows processor and memory over time. */
export function Figures({ id }: { id: number }) {
  const text = useTexts(catalogue);
  const format = useFormat();
  const { data, error } = api.useRead('nodes.stats', { id }, { every_ms });
  const [points, setPoints] = useState(history.get(id) ?? []);
  useEffect(() => {
    if (!data) return;
    const next = [...(history.get(id) ?? []), { ...data, at: Date.now() }].slice(-max_points);
    history.set(id, next);
    setPoints(next);
  }, [data, id]);
  if (error && points.length === 0) return <Failed error={error} />;
  const last = points.at(-1);
  const mib = 1_048_576;
  return (
    <Section title={text.load}>
      <div className="nodes-figures">
        <figure>
          <figcaption>
            {text.processor} {last ? `${format.number(last.cpu_usage_percent, { maximumFractionDigits: 0 })} %` : ''}
          </figcaption>
          <LineChart
            label={text.processor}
            unit="%"
            series={[{ label: text.processor, points: points.map(({ at, cpu_usage_percent }) => [at, cpu_usage_percent] as const) }]}
          />
        </figure>
        <figure>
          <figcaption>
            {text.memory} {last ? text.ofLimit(format.bytes(last.memory_usage_mb * mib), format.bytes(last.memory_limit_mb * mib)) : ''}
          </figcaption>
          <LineChart
            label={text.memory}
            unit="bytes"
            series={[{ label: text.memory, points: points.map(({ at, memory_usage_mb }) => [at, memory_usage_mb * mib] as const) }]}
            {...(last && { max: last.memory_limit_mb * mib })}
          />
        </figure>
      </div>
      {last ? <p className="nodes-note">{text.disk(format.bytes(last.disk_usage_mb * mib))}</p> : undefined}
    </Section>
  );
}
