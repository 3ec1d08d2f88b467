import { Card, Failed, Icon, Note, Progress, Section, useFormat, useTexts } from '@platform/kit';
import { DropZone, RadioGroup } from '@platform/kit/forms';
import { useState } from 'react';
import type { ExtensionType, Published } from '../contract.js';
import { api, reads } from './api.js';
import { catalogue } from './texts/index.js';

/** Takes the ZIP of a skill or plugin, by drop or by choosing it, and shows what the checks found. */
export function Publish() {
  const text = useTexts(catalogue);
  const format = useFormat();
  const [type, setType] = useState<ExtensionType>('skill');
  const [sent, setSent] = useState<readonly [number, number]>();
  const [published, setPublished] = useState<Published>();
  const write = api.useWrite('marketplace.publish', { reads: [...reads, 'marketplace.reviews'] });
  const send = async ([file]: File[]) => {
    setPublished(undefined);
    const made = await write.run({ type, file } as never, { sent: (bytes, total) => setSent([bytes, total]) });
    setSent(undefined);
    setPublished(made);
  };
  return (
    <Section title={text.publish} text={text.publishHelp}>
      <Card>
        <RadioGroup
          label={text.kind}
          options={(['skill', 'plugin'] as const).map((id) => ({ id, label: text.types[id], help: text.typesHelp[id] }))}
          value={type}
          onChange={(next) => setType(next as ExtensionType)}
        />
        <DropZone label={text.dropHere} accept=".zip" disabled={write.isRunning} onFiles={(files) => void send(files)} />
        {sent ? <Progress label={text.sending} value={sent[0] / Math.max(1, sent[1])} text={format.bytes(sent[0])} /> : undefined}
        {write.error ? <Failed error={write.error} /> : undefined}
      </Card>
      {published ? <Result published={published} /> : undefined}
    </Section>
  );
}

function Result({ published: { id, version, checks } }: { published: Published }) {
  const text = useTexts(catalogue);
  return (
    <Note kind="ok" title={text.wasPublished(id, version)}>
      <p>{text.waitsForReview}</p>
      <ul className="marketplace-checks">
        {checks.map(({ code, ok, message }) => (
          <li key={`${code} ${message}`}>
            <Icon name={ok ? 'ok' : 'warning'} /> {message}
          </li>
        ))}
      </ul>
    </Note>
  );
}
