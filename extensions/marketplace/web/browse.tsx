import { Badge, Button, Empty, Failed, List, ListItem, Loading, Note, TextField, useFormat, useKept, useTexts } from '@platform/kit';
import { Select } from '@platform/kit/forms';
import { useDeferredValue, useState } from 'react';
import type { ExtensionType } from '../contract.js';
import { api, on } from './api.js';
import { catalogue } from './texts/index.js';

const page_size = 30;

/** Shows skills and plugins, the most installed first. */
export function Browse() {
  const text = useTexts(catalogue);
  const format = useFormat();
  const [query, setQuery] = useKept('marketplace.query', '');
  const [type, setType] = useKept<ExtensionType | ''>('marketplace.type', '');
  const [limit, setLimit] = useState(page_size);
  const asked = useDeferredValue(query.trim());
  const input = { query: asked, type, upstream: true, limit: Math.min(limit, 100), offset: 0 };
  const { data, error, again } = api.useRead('marketplace.search', input, { on, keep: true });
  return (
    <>
      <div className="marketplace-filter">
        <TextField label={text.find} hidesLabel icon="search" placeholder={text.find} type="search" value={query} onChange={setQuery} />
        <Select
          label={text.kind}
          hidesLabel
          options={[
            { id: '', label: text.all },
            { id: 'skill', label: text.skills },
            { id: 'plugin', label: text.plugins },
          ]}
          value={type}
          onChange={(next) => setType(next as ExtensionType | '')}
        />
      </div>
      {data && data.unavailable.length > 0 ? <Note kind="warn">{text.unavailable(format.list(data.unavailable))}</Note> : undefined}
      {error && !data ? <Failed error={error} again={again} /> : undefined}
      {!data && !error ? <Loading lines={6} /> : undefined}
      {data?.items.length === 0 ? (
        <Empty icon="market" title={text.nothing} text={asked === '' ? text.nothingYet : text.nothingFor(asked)} />
      ) : undefined}
      <List label={text.title} hasLines>
        {data?.items.map(({ id, name, type: kind, description, author, version, installed_version, source }) => (
          <ListItem
            key={`${source ?? ''} ${id}`}
            id={id}
            to={`/marketplace/extensions/${id}`}
            title={name}
            text={description}
            end={
              <>
                <Badge>{text.types[kind]}</Badge>
                {installed_version === null ? undefined : (
                  <Badge kind="ok">{installed_version === version ? text.isInstalled : text.hasUpdate}</Badge>
                )}
                <span className="marketplace-note">{source === null ? author : text.from(source)}</span>
              </>
            }
          />
        ))}
      </List>
      {data && data.total > limit && limit < 100 ? (
        <Button kind="quiet" onClick={() => setLimit(limit + page_size)}>
          {text.more}
        </Button>
      ) : undefined}
    </>
  );
}
