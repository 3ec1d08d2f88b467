import { Box } from 'ink';
import { useCallback, useState, useSyncExternalStore } from 'react';
import { CommandLine } from './command-line.js';
import { Header } from './header.js';
import { Help, LongMessage } from './help.js';
import { cut, oneLine, wrapped } from './kit/cells.js';
import { DashboardProvider, Depth, Focus, type NotifyKind, type Size, Space, useDashboard, useSpace } from './kit/context.js';
import type { Binding } from './kit/keys.js';
import type { Opened } from './kit/panel.js';
import { Text } from './kit/text.js';
import { useKeys } from './kit/use-keys.js';
import type { Model } from './model.js';
import type { Notice } from './notices.js';
import { PanelFrame } from './panel-frame.js';
import type { View } from './panels.js';
import { Tabs } from './tabs.js';

/** Wraps the last notice to at most a quarter of the window; returns one empty line if there is none. */
function noticeLines(notice: Notice | undefined, { columns, rows }: Size): string[] {
  if (notice === undefined) return [''];
  const lines = wrapped(notice.kind === 'error' ? `! ${notice.text}` : notice.text, columns);
  const max = Math.max(1, Math.floor(rows / 4));
  return lines.length <= max ? lines : [...lines.slice(0, max - 1), cut(lines.slice(max - 1).join(' '), columns)];
}

/** Shows the last notice. */
function NoticeView({ lines, kind }: { lines: readonly string[]; kind: NotifyKind | undefined }) {
  return (
    <Box flexDirection="column" flexShrink={0}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is what stands at its place
        <Text key={index} kind={kind === 'error' ? 'bad' : 'good'}>
          {line === '' ? ' ' : line}
        </Text>
      ))}
    </Box>
  );
}

/** Lists the keys that work now. */
function Footer() {
  const { keys } = useDashboard();
  const { columns } = useSpace();
  useSyncExternalStore(keys.subscribe, keys.snapshot);
  const visible = keys.offered().filter(({ quiet }) => !quiet);
  // The help key comes first, so that it is never truncated.
  const [help, rest] = [visible.filter(({ key }) => key === '?'), visible.filter(({ key }) => key !== '?')];
  const hints = [...help, ...rest].map(({ key, label }) => `<${key}> ${oneLine(label)}`);
  return <Text kind="dim">{cut(hints.join('  '), columns) || ' '}</Text>;
}

export interface AppProps {
  model: Model;
  size: Size;
  /** Name of the initial view. */
  first?: string | undefined;
  quit: () => void;
}

type Overlay = { what: 'help'; bindings: readonly Binding[] } | { what: 'command' } | { what: 'message'; text: string } | undefined;

/** Rows around the panel: header, tabs, the first line of a notice, and footer. */
const around_rows = 4;
const ask_ms = 10_000;
/** Minimum size of the window, whose last line stays free. */
const min: Size = { columns: 40, rows: 10 };

export function App(props: AppProps) {
  const { model, size, first } = props;
  const [name, setName] = useState(first);
  return (
    <DashboardProvider value={model.dashboard}>
      <Space value={size}>{isTooSmall(size) ? <TooSmall {...props} /> : <Pages {...props} name={name} setName={setName} />}</Space>
    </DashboardProvider>
  );
}

function isTooSmall({ columns, rows }: Size): boolean {
  return columns < min.columns || rows + 1 < min.rows;
}

function TooSmall({ size, quit }: AppProps) {
  useKeys(quitKeys(quit), true);
  return (
    <Box height={size.rows} width={size.columns} overflow="hidden">
      <Text wrap>{`Enlarge the window to at least ${min.columns} × ${min.rows}`}</Text>
    </Box>
  );
}

interface PagesProps extends AppProps {
  /** Name of the current view. */
  name: string | undefined;
  setName: (name: string | undefined) => void;
}

function Pages({ model, size, name, setName, quit }: PagesProps) {
  const { views, installation } = useSyncExternalStore(model.views.subscribe, model.views.get);
  const [overlay, setOverlay] = useState<Overlay>();
  const [opened, setOpened] = useState<{ view: string; record: Opened }>();
  const close = useCallback(() => setOverlay(undefined), []);
  const view = views.find((each) => each.name === name) ?? views[0];
  const notice = useSyncExternalStore(model.notices.subscribe, model.notices.get);
  const lines = overlay?.what === 'command' ? [''] : noticeLines(notice, size);
  const body: Size = { columns: size.columns, rows: size.rows - around_rows - (lines.length - 1) };
  const show = (wanted: string | undefined, record?: Opened) => {
    model.notices.clearError();
    setName(wanted);
    setOpened(wanted === undefined || record === undefined ? undefined : { view: wanted, record });
  };
  const go = (index: number) => show(views[index]?.name ?? view?.name);
  const showMessage = (text: string) => setOverlay({ what: 'message', text });
  const help = () => setOverlay({ what: 'help', bindings: model.dashboard.keys.offered() });
  const ask = (operation: string, input: object) => installation.source.call(operation, input, AbortSignal.timeout(ask_ms));
  useKeys(appKeys({ views, view, go, help, command: () => setOverlay({ what: 'command' }), quit }), true);
  return (
    <Box flexDirection="column" width={size.columns} height={size.rows} overflow="hidden">
      <Header session={model.session} me={installation.me} />
      <Tabs views={views} chosen={view} />
      <Box flexDirection="column" height={body.rows} overflow="hidden">
        <Space value={body}>
          {overlay?.what === 'message' && <LongMessage text={overlay.text} close={close} />}
          {overlay?.what === 'help' && <Help bindings={overlay.bindings} close={close} />}
          <Focus value={overlay === undefined}>
            <Box display={overlay?.what === 'help' || overlay?.what === 'message' ? 'none' : 'flex'} flexDirection="column">
              <Depth value={1}>
                {view && (
                  <PanelFrame
                    key={view.name}
                    model={model}
                    view={view}
                    size={body}
                    focused={overlay === undefined}
                    opened={opened?.view === view.name ? opened.record : undefined}
                  />
                )}
              </Depth>
            </Box>
          </Focus>
        </Space>
      </Box>
      {overlay?.what === 'command' ? (
        <CommandLine views={views} ask={ask} go={show} showMessage={showMessage} quit={quit} close={close} />
      ) : (
        <NoticeView lines={lines} kind={notice?.kind} />
      )}
      <Footer />
    </Box>
  );
}

function quitKeys(quit: () => void): Binding[] {
  return [
    { key: 'q', label: 'quit', run: quit },
    { key: 'ctrl-c', label: 'quit', run: quit, quiet: true },
  ];
}

interface AppKeys {
  views: readonly View[];
  view: View | undefined;
  go: (index: number) => void;
  help: () => void;
  command: () => void;
  quit: () => void;
}

function appKeys({ views, view, go, help, command, quit }: AppKeys): Binding[] {
  const at = view ? views.indexOf(view) : 0;
  const digits = views
    .slice(0, 9)
    .map(({ panel }, index): Binding => ({ key: `${index + 1}`, label: panel.title, quiet: true, run: () => go(index) }));
  return [
    { key: '?', label: 'help', run: help },
    { key: ':', label: 'view', run: command },
    ...digits,
    { key: 'tab', label: 'next view', quiet: true, run: () => go((at + 1) % Math.max(1, views.length)) },
    { key: 'shift-tab', label: 'previous view', quiet: true, run: () => go((at + views.length - 1) % Math.max(1, views.length)) },
    ...quitKeys(quit),
  ];
}
