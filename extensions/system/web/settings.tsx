import { Failed, Loading, TextField, useKept, useTexts } from '@platform/kit';
import { Table } from '@platform/kit/forms';
import type { SettingRow } from '../../../kernel/contract/system.js';
import { api } from './api.js';
import { catalogue } from './texts/index.js';

/** Shows the settings in force and where each comes from. They are changed by files and variables, not here. */
export function Settings() {
  const text = useTexts(catalogue);
  const [keyword, setKeyword] = useKept('system.settings.keyword', '');
  const { data, error, again } = api.useRead('config.get', {});
  const word = keyword.trim().toLowerCase();
  const rows = data?.filter(({ key, environment, summary }) => `${key} ${environment} ${summary}`.toLowerCase().includes(word));
  return (
    <>
      <p className="system-note">{text.settingsHelp}</p>
      <TextField label={text.find} hidesLabel icon="search" placeholder={text.find} type="search" value={keyword} onChange={setKeyword} />
      {error && !data ? <Failed error={error} again={again} /> : undefined}
      {!data && !error ? <Loading lines={10} /> : undefined}
      {rows ? (
        <Table<SettingRow>
          label={text.parts.settings}
          rows={rows}
          idOf={({ key }) => key}
          columns={[
            {
              id: 'key',
              label: text.setting,
              show: ({ key, summary }) => (
                <>
                  <code className="system-key">{key}</code>
                  <div className="system-note">{summary}</div>
                </>
              ),
              sortBy: ({ key }) => key,
            },
            { id: 'value', label: text.value, show: ({ value }) => <code className="system-value">{shown(value)}</code> },
            { id: 'source', label: text.source, show: ({ source }) => source, sortBy: ({ source }) => source, isExtra: true },
            { id: 'environment', label: text.variable, show: ({ environment }) => <code>{environment}</code>, isExtra: true },
          ]}
        />
      ) : undefined}
    </>
  );
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
