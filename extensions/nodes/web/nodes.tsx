import { Empty, Failed, LinkButton, Loading, Page, Time, useGo, useTexts } from '@platform/kit';
import { Table } from '@platform/kit/forms';
import type { Node } from '../contract.js';
import { api, on } from './api.js';
import { NodeState } from './status.js';
import { catalogue } from './texts/index.js';

/** Shows all work nodes. */
export function Nodes() {
  const text = useTexts(catalogue);
  const go = useGo();
  const { data, error, again } = api.useRead('nodes.list', { limit: 200, offset: 0 }, { on });
  const add = (
    <LinkButton kind="primary" icon="add" to="/nodes/new">
      {text.add}
    </LinkButton>
  );
  return (
    <Page title={text.title} text={text.about} actions={add}>
      {error && !data ? <Failed error={error} again={again} /> : undefined}
      {!data && !error ? <Loading lines={5} /> : undefined}
      {data ? (
        <Table<Node>
          label={text.title}
          rows={data.items}
          onOpen={({ id }) => go(`/nodes/${id}`)}
          empty={<Empty icon="node" title={text.none} text={text.noneHelp} action={add} />}
          columns={[
            { id: 'name', label: text.name, show: ({ name }) => name, sortBy: ({ name }) => name },
            { id: 'state', label: text.state, show: (node) => <NodeState node={node} />, sortBy: ({ status }) => status },
            { id: 'host', label: text.engine, show: ({ host }) => (host === '' ? text.local : <code>{host}</code>), isExtra: true },
            { id: 'image', label: text.image, show: ({ config }) => <code>{config.image}</code>, isExtra: true },
            { id: 'since', label: text.since, show: ({ since }) => <Time iso={since} ago />, sortBy: ({ since }) => since },
          ]}
        />
      ) : undefined}
    </Page>
  );
}
