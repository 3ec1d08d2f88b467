import { Box } from 'ink';
import { type ReactNode, useState } from 'react';
import { inputFrom, missingFields, typedInput } from '../../kernel/client/panel-input.js';
import { columnsOf, identify, type Row, rowsOf, valueAt } from '../../kernel/client/panel-rows.js';
import { harmlessJson } from '../../kernel/client/terminal-text.js';
import type { PanelAction, PanelHint } from '../../kernel/contract/manifest.js';
import { Ask } from '../kit/ask.js';
import { useSpace } from '../kit/context.js';
import { Log } from '../kit/log.js';
import type { PanelProps } from '../kit/panel.js';
import { Question } from '../kit/question.js';
import { type Action, Records } from '../kit/records.js';
import { Text } from '../kit/text.js';
import { useCall } from '../kit/use-call.js';
import { useKeys } from '../kit/use-keys.js';
import { useFailed, useNotify } from '../kit/use-notify.js';
import type { Source } from './source.js';

export interface PluginViewProps extends PanelProps<object> {
  hint: PanelHint;
  source: Source;
}

/** Content drawn in place of the list. */
type Overlay =
  | { what: 'question'; action: PanelAction; question: string }
  | { what: 'form'; action: PanelAction; given: Row }
  | { what: 'answer'; title: string; answer: unknown }
  | undefined;

const refresh_s = 5;

/** Shows a plugin's page from its description. No code of the plugin runs here. */
export function PluginView({ hint, source, focused }: PluginViewProps) {
  const { operation, actions = [], details, remove } = hint;
  const list = useCall((signal) => source.call(operation, {}, signal).then(rowsOf), [source], {
    every_ms: (hint.refresh_s ?? refresh_s) * 1_000,
  });
  const [currentOverlay, setOver] = useState<Overlay>();
  // The plugin may have been updated in the meantime.
  const over = isThere(currentOverlay, source) ? currentOverlay : undefined;
  const rows = list.value;
  const run = useRun(source, list.again, setOver);
  const begin = (action: PanelAction, row: Row = {}) => startAction(action, row, { source, run, setOver });
  const ask = (action: PanelAction) => {
    const question = questionOf(action, source);
    if (question === undefined) return begin(action);
    setOver({ what: 'question', action, question });
    return undefined;
  };
  const ofList = actions.filter((action) => action.of === 'list');
  useKeys(
    ofList.map((action) => ({ key: action.key, label: action.label, changes: isChanging(action, source), run: () => ask(action) })),
    focused && over === undefined,
  );
  const close = () => setOver(undefined);
  if (over !== undefined) return <OverlayView over={over} source={source} run={run} begin={begin} close={close} focused={focused} />;
  const columns = (hint.columns ?? columnsOf(rows ?? [])).map((key, index, all) => ({
    title: key.replaceAll(/[_.]/g, ' '),
    value: (row: Row) => cellValue(valueAt(row, key)),
    grow: index === all.length - 1,
  }));
  return (
    <Records
      rows={rows}
      error={list.error}
      columns={columns}
      idOf={identify(rows ?? [])}
      actions={actions.filter((action) => action.of !== 'list').map((action) => actionOf(action, source, begin))}
      remove={remove && removalOf(remove, source, list.again)}
      details={(row) => <Details row={row} id={details} source={source} />}
    />
  );
}

function isThere(over: Overlay, { operations }: Source): boolean {
  return over !== undefined && (over.what === 'answer' || Object.hasOwn(operations, over.action.operation));
}

function actionOf(action: PanelAction, source: Source, begin: (action: PanelAction, row: Row) => unknown): Action<Row> {
  const question = questionOf(action, source);
  return {
    key: action.key,
    label: action.label,
    changes: isChanging(action, source),
    run: (row) => begin(action, row),
    ...(question === undefined ? {} : { confirm: () => question }),
  };
}

/** Returns the question to confirm an action; undefined if it runs at once. */
function questionOf({ confirm, label, operation }: PanelAction, { operations }: Source): string | undefined {
  return confirm ?? (operations[operation]?.dangerous ? `${label}?` : undefined);
}

function removalOf(
  { operation, confirm = 'Remove it? This cannot be undone.' }: NonNullable<PanelHint['remove']>,
  source: Source,
  again: () => void,
) {
  return {
    question: () => confirm,
    run: async (row: Row) => {
      const data = source.operations[operation];
      await source.call(operation, data ? inputFrom(row, data) : {});
      again();
    },
  };
}

function isChanging({ operation }: PanelAction, { operations }: Source): boolean {
  return operations[operation]?.method !== 'GET';
}

type Run = (action: PanelAction, input: object) => Promise<void>;

/** Returns the function that runs an action, and shows its response if the action says so. */
function useRun(source: Source, again: () => void, setOver: (over: Overlay) => void): Run {
  return async ({ operation, label, shows = false }, input) => {
    const answer = await source.call(operation, input);
    again();
    setOver(shows && answer !== undefined ? { what: 'answer', title: label, answer } : undefined);
  };
}

/** Runs an action; shows a form first if required input is missing. */
function startAction(
  action: PanelAction,
  row: Row,
  { source, run, setOver }: { source: Source; run: Run; setOver: (over: Overlay) => void },
) {
  const operation = source.operations[action.operation];
  const given = operation && action.of !== 'list' ? inputFrom(row, operation) : {};
  if (operation === undefined || missingFields(given, operation).length === 0) return run(action, given);
  setOver({ what: 'form', action, given });
  return undefined;
}

interface OverlayProps {
  over: NonNullable<Overlay>;
  source: Source;
  run: Run;
  begin: (action: PanelAction) => Promise<void> | undefined;
  close: () => void;
  focused: boolean;
}

function OverlayView({ over, source, run, begin, close, focused }: OverlayProps): ReactNode {
  const notify = useNotify();
  const failed = useFailed();
  useKeys([{ key: 'esc', label: 'back', run: close }], focused && over.what === 'answer');
  if (over.what === 'answer') return <Answer title={over.title} answer={over.answer} />;
  if (over.what === 'question') {
    const go = () => void begin(over.action)?.catch(failed);
    return <Question question={over.question} go={go} close={close} isMine={focused} />;
  }
  const { action, given } = over;
  const operation = source.operations[action.operation];
  if (operation === undefined) return null;
  const send = async (values: Readonly<Record<string, string>> | undefined) => {
    if (values === undefined) return close();
    await run(action, { ...given, ...typedInput(values, operation) }).then(() => notify(`${action.label}: done`), failed);
  };
  return <Ask title={action.label} fields={missingFields(given, operation)} onDone={(values) => void send(values)} />;
}

function Answer({ title, answer }: { title: string; answer: unknown }) {
  const { rows } = useSpace();
  return (
    <Box flexDirection="column">
      <Text kind="strong">{title}</Text>
      <Log lines={jsonLines(answer)} follow={false} wrap height={rows - 1} />
    </Box>
  );
}

function Details({ row, id, source }: { row: Row; id: string | undefined; source: Source }) {
  const operation = id === undefined ? undefined : source.operations[id];
  const read = async (signal: AbortSignal) => (id && operation ? source.call(id, inputFrom(row, operation), signal) : row);
  const { value = row, error } = useCall(read, [source, id]);
  if (error) return <Text kind="bad">{`${error.message} (${error.code})`}</Text>;
  return <Log lines={jsonLines(value)} follow={false} wrap />;
}

function cellValue(value: unknown): string | number | undefined {
  if (value === null || value === undefined) return undefined;
  return typeof value === 'number' || typeof value === 'string' ? value : JSON.stringify(value);
}

function jsonLines(value: unknown): string[] {
  return harmlessJson(JSON.stringify(value, null, 2) ?? '').split('\n');
}
