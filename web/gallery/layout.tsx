import { useState } from 'react';
import { Table, Tabs } from '../kit/forms.js';
import { Avatar, Badge, Card, Count, IconButton, List, ListItem, Section, Split } from '../kit/index.js';

const nodes = [
  { id: 1, name: 'backup-2', kind: 'SSH', memory: 19.8, state: 'online' },
  { id: 2, name: 'build-10', kind: 'Local', memory: 4.1, state: 'draining' },
  { id: 3, name: 'build-9', kind: 'Local', memory: 6, state: 'online' },
];

/** Lists, tables, tabs and splits. */
export function Layout() {
  const [tab, setTab] = useState('table');
  const table = (
    <Table
      label="Nodes"
      rows={nodes}
      sort={{ by: 'name', isDown: false }}
      onOpen={() => undefined}
      columns={[
        { id: 'name', label: 'Name', show: ({ name }) => name, sortBy: ({ name }) => name },
        { id: 'kind', label: 'Kind', show: ({ kind }) => kind, isExtra: true },
        { id: 'memory', label: 'Memory', show: ({ memory }) => `${memory} GB`, sortBy: ({ memory }) => memory, isNumeric: true },
        { id: 'state', label: 'State', show: ({ state }) => <Badge kind={state === 'online' ? 'ok' : 'warn'}>{state}</Badge> },
      ]}
    />
  );
  const list = (
    <List label="Conversations">
      <ListItem
        id={1}
        to="/chat/1"
        start={<Avatar member_id={4} />}
        title="Iris"
        text="Waits for you"
        end={<Count n={2} mention />}
        isStrong
      />
      <ListItem
        id={2}
        to="/chat/2"
        start={<Avatar member_id={1} />}
        title="Mara Lindqvist"
        text="I’ll take the second half of it, and you look after the rest"
        end="9:12"
        isSelected
        actions={<IconButton isSmall icon="more" label="More actions" />}
      />
      <ListItem id={3} onOpen={() => undefined} start={<Avatar member_id={3} />} title="陈思远" text="谢谢" end={<Count n={14} />} />
    </List>
  );
  return (
    <>
      <Section title="Tabs and a table">
        <Tabs
          label="Views"
          value={tab}
          onChange={setTab}
          tabs={[
            { id: 'table', label: 'Nodes', count: 3, content: table },
            { id: 'logs', label: 'Logs', content: <p>Nothing yet.</p> },
          ]}
        />
      </Section>
      <Section title="A split">
        <Card isFlush>
          <div style={{ height: 260 }}>
            <Split side={list} sideLabel="Conversations" main={<p style={{ padding: 16 }}>What is chosen</p>} isMainOpen={false} />
          </div>
        </Card>
      </Section>
    </>
  );
}
