import {
  Button,
  Card,
  confirm,
  Facts,
  Failed,
  Loading,
  Menu,
  Note,
  Page,
  Progress,
  Section,
  Time,
  useFormat,
  useFrames,
  useGo,
  useRoute,
  useTexts,
} from '@platform/kit';
import { Tabs } from '@platform/kit/forms';
import { useState } from 'react';
import type { Node, PullProgress } from '../contract.js';
import { api, on } from './api.js';
import { Figures } from './figures.js';
import { Files } from './files.js';
import { Logs } from './logs.js';
import { Shell } from './shell.js';
import { NodeState } from './status.js';
import { catalogue } from './texts/index.js';

/** Shows one node: its state and figures, a terminal, its logs and files. */
export function NodeDetail() {
  const text = useTexts(catalogue);
  const go = useGo();
  const { id: asked, part = 'state' } = useRoute().params;
  const id = Number(asked);
  const { data, error, again } = api.useRead('nodes.get', { id }, { on });
  const tabs = data
    ? [
        { id: 'state', label: text.state, content: part === 'state' ? <State node={data} /> : undefined },
        { id: 'terminal', label: text.terminal, content: part === 'terminal' ? <Shell key={id} node={data} /> : undefined },
        { id: 'logs', label: text.logs, content: part === 'logs' ? <Logs key={id} id={id} /> : undefined },
        { id: 'files', label: text.files, content: part === 'files' ? <Files key={id} id={id} /> : undefined },
      ]
    : [];
  return (
    <Page
      title={data?.name ?? text.node}
      {...(data && { text: <NodeState node={data} />, actions: <Actions node={data} /> })}
      back="/nodes"
    >
      {error && !data ? <Failed error={error} again={again} /> : undefined}
      {!data && !error ? <Loading lines={6} /> : undefined}
      {data ? (
        <Tabs
          label={data.name}
          tabs={tabs}
          value={part}
          onChange={(next) => go(next === 'state' ? `/nodes/${id}` : `/nodes/${id}/${next}`)}
        />
      ) : undefined}
    </Page>
  );
}

function Actions({ node: { id, name, draining, status } }: { node: Node }) {
  const text = useTexts(catalogue);
  const go = useGo();
  const drain = api.useWrite('nodes.drain', { reads: ['nodes.get', 'nodes.list'] });
  const remove = api.useWrite('nodes.delete', { reads: ['nodes.list'], done: text.removed, after: () => go('/nodes') });
  const end = async (force: boolean) => {
    const help = force ? text.removeAloneHelp : text.removeHelp;
    if (await confirm({ title: text.remove(name), text: help, confirm: text.removeShort, danger: true, name }))
      await remove.run({ id, force });
  };
  const removal = { icon: 'delete', danger: true } as const;
  return (
    <>
      <Button isBusy={drain.isRunning} onClick={() => void drain.run({ id, draining: !draining })}>
        {draining ? text.takeWork : text.drain}
      </Button>
      <Menu
        label={text.more}
        items={[
          { id: 'delete', label: text.removeShort, ...removal, run: () => void end(false) },
          // The container of an engine that is gone for good can't be removed.
          ...(status === 'online' || status === 'creating'
            ? []
            : [{ id: 'alone', label: text.removeAlone, ...removal, run: () => void end(true) }]),
        ]}
      />
    </>
  );
}

function State({ node }: { node: Node }) {
  const text = useTexts(catalogue);
  const { id, status, reason, config, host, walls, last_heartbeat, shell } = node;
  const health = api.useRead('nodes.health', { id }, { on, every_ms: 15_000, enabled: status !== 'creating' });
  return (
    <>
      {reason === '' ? undefined : <Note kind={status === 'online' ? 'info' : 'danger'}>{reason}</Note>}
      {status === 'creating' ? <Pull id={id} /> : undefined}
      {status === 'online' ? <Figures key={id} id={id} /> : undefined}
      <Section title={text.details}>
        <Card>
          <Facts
            items={[
              [text.engine, host === '' ? text.local : host],
              [text.image, <code key="image">{config.image}</code>],
              [text.memory, config.memory_limit],
              [text.processors, config.cpu_limit],
              [text.network, text.networks[config.network]],
              [text.walls, status !== 'online' ? undefined : walls.fenced ? text.fenced : walls.reason || text.notFenced],
              [text.shell, shell === false ? text.noShell : undefined],
              [text.health, health.data ? text.healths[health.data.status] : undefined],
              [text.heartbeat, last_heartbeat === null ? undefined : <Time key="heartbeat" iso={last_heartbeat} ago />],
              [text.created, <Time key="created" iso={node.created_at} />],
            ]}
          />
        </Card>
      </Section>
    </>
  );
}

/** Shows how far the image of a new node has come. */
function Pull({ id }: { id: number }) {
  const text = useTexts(catalogue);
  const format = useFormat();
  const [progress, setProgress] = useState<PullProgress>();
  useFrames(['node.updated'], ({ data }) => {
    const { node, progress: next } = data as { node: Node; progress?: PullProgress };
    if (node.id === id && next) setProgress(next);
  });
  const value = progress && progress.total_bytes > 0 ? progress.bytes / progress.total_bytes : undefined;
  const detail = progress ? text.pulled(format.bytes(progress.bytes), format.bytes(progress.total_bytes)) : undefined;
  return <Progress label={text.creating} value={value} text={detail} />;
}
