import { useState } from 'react';
import { Box, mayAdminister, type Panel, type PanelProps, type SystemApi, Text, useKeys, useOpened } from '../../tui/kit/index.js';
import type { MarketplaceApi } from './contract.js';
import { Inbox } from './panel/inbox.js';
import { Loaded, readLoaded } from './panel/loaded.js';
import { Shelf } from './panel/shelf.js';

export type PanelApi = MarketplaceApi &
  Pick<SystemApi, 'plugins.list' | 'plugins.get' | 'plugins.reload' | 'plugins.enable' | 'plugins.disable'>;
export type Props = PanelProps<PanelApi>;

const pages = [
  { key: 'e', title: 'installed', Page: Loaded, admins: false },
  { key: 'i', title: 'review inbox', Page: Inbox, admins: true },
  { key: 's', title: 'available', Page: Shelf, admins: false },
] as const;

const read_ms = 10_000;

function View(props: Props) {
  const { size, focused, me } = props;
  const offered = pages.filter(({ admins }) => !admins || mayAdminister(me));
  const [at, setAt] = useState<(typeof pages)[number]>(pages[0]);
  const opening = useOpened(
    props.opened,
    async ({ id }) => {
      const row = (await readLoaded(props.client, AbortSignal.timeout(read_ms))).find(({ name }) => name === id);
      if (row === undefined) throw new Error(`Extension '${id}' no longer exists`);
      return row;
    },
    () => setAt(pages[0]),
  );
  useKeys(
    offered.filter((page) => page !== at).map((page) => ({ key: page.key, label: page.title, run: () => setAt(page) })),
    focused,
  );
  const { Page } = at;
  return (
    <Box flexDirection="column">
      <Text kind="dim">{offered.map((page) => (page === at ? `[${page.title}]` : ` ${page.title} `)).join(' ')}</Text>
      <Page {...props} opening={opening} size={{ columns: size.columns, rows: size.rows - 1 }} />
    </Box>
  );
}

export default { title: 'Extensions', order: 70, opens: ['extension'], View } satisfies Panel<PanelApi>;
