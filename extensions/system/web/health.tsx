import { Badge, Card, Code, Facts, Failed, Icon, Loading, Note, Section, Time, useFormat, useTexts } from '@platform/kit';
import type { CheckRecord } from '../../../kernel/contract/system.js';
import { api } from './api.js';
import { catalogue } from './texts/index.js';

/** Shows what is wrong and what mends it, then the figures of the process that answers. */
export function Health() {
  const text = useTexts(catalogue);
  const checks = api.useRead('checks.list', {}, { every_ms: 30_000, on: ['extension.changed'] });
  const wrong = checks.data?.filter(({ ok }) => !ok) ?? [];
  const right = checks.data?.filter(({ ok }) => ok) ?? [];
  return (
    <>
      {checks.error && !checks.data ? <Failed error={checks.error} again={checks.again} /> : undefined}
      {!checks.data && !checks.error ? <Loading lines={5} /> : undefined}
      {checks.data && wrong.length === 0 ? <Note kind="ok">{text.allWell(right.length)}</Note> : undefined}
      {wrong.map((check) => (
        <Finding key={`${check.extension} ${check.code} ${check.message}`} check={check} />
      ))}
      <Status />
      {right.length > 0 ? (
        <Section title={text.passed}>
          <ul className="system-checks">
            {right.map(({ extension, code, message }) => (
              <li key={`${extension} ${code} ${message}`}>
                <Icon name="ok" /> <span>{message}</span>
              </li>
            ))}
          </ul>
        </Section>
      ) : undefined}
    </>
  );
}

function Finding({ check: { message, fix, since, extension, code } }: { check: CheckRecord }) {
  const text = useTexts(catalogue);
  return (
    <Note kind="danger" title={message}>
      <p>
        <Badge>{`${extension}: ${code}`}</Badge>{' '}
        {since === null ? undefined : (
          <>
            {text.since} <Time iso={since} ago />
          </>
        )}
      </p>
      {fix === null ? undefined : <Code text={fix} />}
    </Note>
  );
}

function Status() {
  const text = useTexts(catalogue);
  const format = useFormat();
  const { data, error, again } = api.useRead('status.get', {}, { every_ms: 5_000 });
  if (error && !data) return <Failed error={error} again={again} />;
  if (!data) return <Loading lines={4} />;
  const { http, memory_mb, event_loop_delay_ms: delay, cpu_percent, seats, extensions } = data;
  const ms = (value: number) => `${format.number(value, { maximumFractionDigits: 1 })} ms`;
  return (
    <Section title={text.server}>
      <Card>
        <Facts
          items={[
            [text.version, data.version],
            [text.instance, data.instance_name === data.instance ? data.instance : `${data.instance_name} (${data.instance})`],
            [text.database, data.database === 'sqlite' ? 'SQLite' : 'PostgreSQL'],
            [text.upSince, <Time key="since" iso={data.started_at} />],
            [text.seats, seats === null ? undefined : text.seatsTaken(seats.used, seats.limit)],
            [text.extensions, text.extensionsAre(extensions.active, extensions.disabled, extensions.failed.length)],
            [text.memory, format.bytes(memory_mb.rss * 1e6)],
            [text.processor, cpu_percent === null ? undefined : `${format.number(cpu_percent)} %`],
            [text.delay, delay === null ? undefined : text.delays(ms(delay.p50), ms(delay.p99))],
            [text.requests, http === null ? undefined : text.perSecond(format.number(http.requests_per_second))],
            [text.errors, http === null ? undefined : text.perMinute(format.number(http.errors_per_minute))],
            [text.connections, http === null ? undefined : text.connectionsAre(http.streams, http.sockets)],
          ]}
        />
      </Card>
      {extensions.failed.map(({ name, error: reason }) => (
        <Note key={name} kind="danger" title={name}>
          {reason}
        </Note>
      ))}
    </Section>
  );
}
