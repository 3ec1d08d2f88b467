import {
  Avatar,
  Button,
  Dialog,
  Empty,
  Failed,
  LinkButton,
  Loading,
  Page,
  TextField,
  useFormat,
  useGo,
  useTexts,
  useUnsaved,
} from '@platform/kit';
import { RadioGroup, Table } from '@platform/kit/forms';
import { useState } from 'react';
import type { EmployeeSettings } from '../contract.js';
import { api, on } from './api.js';
import { EmployeeStatus } from './status.js';
import { catalogue } from './texts/index.js';

/** Shows all AI employees and what each is doing, to administrators. */
export function Employees() {
  const text = useTexts(catalogue);
  const format = useFormat();
  const go = useGo();
  const [isAdding, setAdding] = useState(false);
  const { data, error, again } = api.useRead('agents.list', {}, { on });
  const add = (
    <Button kind="primary" icon="add" onClick={() => setAdding(true)}>
      {text.add}
    </Button>
  );
  return (
    <Page
      title={text.title}
      text={text.about}
      actions={
        <>
          <LinkButton icon="chart" to="/employees/usage">
            {text.usage}
          </LinkButton>
          {add}
        </>
      }
    >
      {error && !data ? <Failed error={error} again={again} /> : undefined}
      {!data && !error ? <Loading lines={5} /> : undefined}
      {data ? (
        <Table<EmployeeSettings>
          label={text.title}
          rows={data}
          idOf={({ member_id }) => member_id}
          onOpen={({ member_id }) => go(`/employees/${member_id}`)}
          empty={<Empty icon="agent" title={text.none} text={text.noneHelp} action={add} />}
          columns={[
            {
              id: 'name',
              label: text.name,
              show: ({ member_id, name, post }) => (
                <span className="agents-name">
                  <Avatar member_id={member_id} name={name} isVirtual size="small" />
                  <span>
                    {name}
                    {post === '' ? undefined : <span className="agents-note"> · {post}</span>}
                  </span>
                </span>
              ),
              sortBy: ({ name }) => name,
            },
            { id: 'status', label: text.status, show: ({ status }) => <EmployeeStatus status={status} />, sortBy: ({ status }) => status },
            { id: 'mode', label: text.mode, show: ({ mode }) => text.modes[mode], isExtra: true },
            {
              id: 'model',
              label: text.model,
              show: ({ model }) => (model?.model ? <code>{model.model}</code> : text.platformModel),
              isExtra: true,
            },
            {
              id: 'today',
              label: text.today,
              show: ({ budget }) =>
                budget.limit > 0 ? text.ofLimit(format.number(budget.used), format.number(budget.limit)) : format.number(budget.used),
              sortBy: ({ budget }) => budget.used,
              isNumeric: true,
              isExtra: true,
            },
          ]}
        />
      ) : undefined}
      {isAdding ? <NewEmployee onClose={() => setAdding(false)} /> : undefined}
    </Page>
  );
}

const modes = ['assistant', 'supervised', 'autonomous'] as const;

function NewEmployee({ onClose }: { onClose: () => void }) {
  const text = useTexts(catalogue);
  const go = useGo();
  const [name, setName] = useState('');
  const [post, setPost] = useState('');
  const [mode, setMode] = useState<(typeof modes)[number]>('assistant');
  const create = api.useWrite('members.create_virtual', { reads: ['agents.list', 'members.list', 'members.list_virtual'] });
  const { error } = create;
  const endUnsaved = useUnsaved(name !== '' || post !== '');
  const send = async () => {
    const made = await create.run({ name: name.trim(), post: post.trim(), mode });
    if (!made) return;
    endUnsaved();
    go(`/employees/${made.id}/edit`);
  };
  return (
    <Dialog
      title={text.add}
      isOpen
      onClose={onClose}
      onSubmit={() => void send()}
      actions={
        <>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={create.isRunning} disabled={name.trim() === ''}>
            {text.add}
          </Button>
        </>
      }
    >
      {error ? <Failed error={error} /> : undefined}
      <TextField label={text.name} value={name} onChange={setName} maxLength={64} required />
      <TextField label={text.post} help={text.postHelp} isOptional value={post} onChange={setPost} maxLength={64} />
      <RadioGroup
        label={text.mode}
        options={modes.map((id) => ({ id, label: text.modes[id], help: text.modesHelp[id] }))}
        value={mode}
        onChange={(next) => setMode(next as (typeof modes)[number])}
      />
    </Dialog>
  );
}
