import { type ReactNode, useMemo, useState } from 'react';
import { inputFrom } from '../../../kernel/client/panel-input.js';
import { columnsOf, identify, type Row, rowsOf, valueAt } from '../../../kernel/client/panel-rows.js';
import { isFailure } from '../../../kernel/contract/failure.js';
import type { PanelAction } from '../../../kernel/contract/manifest.js';
import type { CatalogRecord, PanelRecord } from '../../../kernel/contract/system.js';
import { confirm } from '../../kit/data/confirm.js';
import { connection } from '../../kit/data/connection.js';
import { failureText } from '../../kit/data/failure-text.js';
import { notify } from '../../kit/data/notices.js';
import { operations } from '../../kit/data/operations.js';
import { usePageTitle } from '../../kit/data/page-title.js';
import { useShortcut } from '../../kit/data/shortcuts.js';
import { useValue } from '../../kit/data/value.js';
import { type Column, Table } from '../../kit/forms.js';
import { Button, Empty, Failed, LinkButton, Loading, Menu, type MenuEntry, Page } from '../../kit/index.js';
import { Message } from '../message.js';
import { useShellTexts } from '../texts/index.js';
import { ActionForm, needsForm } from './action-form.js';
import { Answer, Details } from './details.js';
import { capitalised, labelOf } from './label-of.js';
import { type PanelOperations, runPanelOperation } from './run.js';
import { CellValue } from './value.js';

type Catalog = { 'catalog.get': { input: object; answer: CatalogRecord } };

const api = operations<Catalog>();

/** Content that is open above the list. */
type Opened =
  | { readonly kind: 'form'; readonly action: PanelAction; readonly row: Row }
  | { readonly kind: 'details'; readonly row: Row }
  | { readonly kind: 'answer'; readonly title: string; readonly answer: unknown }
  | undefined;

const default_refresh_s = 5;

/** Shows a plugin's page from its description. No code of the plugin runs here, and its texts stay texts. */
export default function PanelPage({ extension, place }: { extension: string; place: string }) {
  const text = useShellTexts();
  const { panels } = useValue(connection().start);
  const panel = panels.find((each) => each.extension === extension && each.title === place);
  const catalog = api.useRead('catalog.get', {}, { on: ['extension.changed'] });
  usePageTitle(place);
  if (!panel) {
    const action = <LinkButton to="/">{text.toHome}</LinkButton>;
    return <Message icon="plugin" title={text.goneTitle} text={text.goneText(extension)} action={action} />;
  }
  if (!catalog.data) return catalog.error ? <Failed error={catalog.error} again={catalog.again} /> : <Loading lines={6} />;
  return <Panel panel={panel} known={catalog.data.operations} />;
}

function Panel({ panel, known }: { panel: PanelRecord; known: PanelOperations }) {
  const text = useShellTexts();
  const [opened, setOpened] = useState<Opened>();
  const { query } = connection();
  const list = useRows(panel);
  const rows = useMemo(() => rowsOf(list.data ?? undefined), [list.data]);
  const idOf = useMemo(() => identify(rows), [rows]);
  const { remove, details } = panel;
  const actions = (panel.actions ?? []).map((action) => ({ ...action, label: capitalised(action.label) }));
  const again = () => void query.invalidateQueries({ queryKey: [panel.operation] });
  const run = async (action: PanelAction, input: object) => {
    const answer = await runPanelOperation(known, action.operation, input);
    again();
    if (action.shows && answer !== undefined) setOpened({ kind: 'answer', title: action.label, answer });
    else notify(text.panel.done(action.label), { kind: 'success' });
  };
  const begin = async (action: PanelAction, row: Row) => {
    const operation = known[action.operation];
    if (!operation) return notify(text.panel.unavailable, { kind: 'error' });
    const question = action.confirm ?? (operation.dangerous ? `${action.label}?` : undefined);
    if (question !== undefined && !(await confirm({ title: question, confirm: action.label, danger: operation.dangerous === true })))
      return;
    if (needsForm(action, row, operation)) return setOpened({ kind: 'form', action, row });
    await run(action, action.of === 'list' ? {} : inputFrom(row, operation)).catch(showFailure);
  };
  const removeRow = async (row: Row) => {
    if (remove === undefined) return;
    const operation = known[remove.operation];
    const question = remove.confirm ?? text.panel.removeText;
    if (!operation || !(await confirm({ title: question, confirm: text.panel.remove, danger: true }))) return;
    await runPanelOperation(known, remove.operation, inputFrom(row, operation)).then(again, showFailure);
  };
  const ofRecord = actions.filter((action) => action.of !== 'list');
  const ofList = actions.filter((action) => action.of === 'list');
  const menuOf = (row: Row): MenuEntry[] => [
    ...ofRecord.map((action) => ({
      id: `${action.key} ${action.operation}`,
      label: action.label,
      danger: known[action.operation]?.dangerous,
      run: () => void begin(action, row),
    })),
    ...(remove ? [{ id: 'remove', label: text.panel.remove, icon: 'delete' as const, danger: true, run: () => void removeRow(row) }] : []),
  ];
  const columns = useColumns(panel, rows, ofRecord.length > 0 || remove ? menuOf : undefined);
  return (
    <Page
      title={panel.title}
      text={text.panel.by(panel.extension)}
      actions={ofList.map((action, index) => (
        <ListAction key={action.key} action={action} isMain={index === 0} run={() => void begin(action, {})} />
      ))}
    >
      <Listed list={list}>
        <Table
          label={panel.title}
          columns={columns}
          rows={rows}
          idOf={idOf}
          onOpen={(row) => setOpened({ kind: 'details', row })}
          empty={<Empty icon="plugin" title={text.panel.empty} text={text.panel.emptyText} />}
        />
      </Listed>
      {opened?.kind === 'details' && <Details row={opened.row} id={details} known={known} close={() => setOpened(undefined)} />}
      {opened?.kind === 'answer' && <Answer title={opened.title} answer={opened.answer} close={() => setOpened(undefined)} />}
      {opened?.kind === 'form' && known[opened.action.operation] && (
        <ActionForm
          action={opened.action}
          row={opened.row}
          operation={known[opened.action.operation] as PanelOperations[string]}
          run={(input) => run(opened.action, input)}
          close={() => setOpened((before) => (before?.kind === 'form' ? undefined : before))}
        />
      )}
    </Page>
  );
}

/** Shows the list, or why there is none. A list that can't be read again stays. */
function Listed({ list, children }: { list: ReturnType<typeof useRows>; children: ReactNode }) {
  if (list.isLoading) return <Loading lines={6} />;
  return (
    <>
      {list.error && <Failed error={list.error} again={list.again} />}
      {list.data !== undefined && children}
    </>
  );
}

function ListAction({ action, isMain, run }: { action: PanelAction; isMain: boolean; run: () => void }) {
  useShortcut(action.key, action.label, run);
  return (
    <Button kind={isMain ? 'primary' : 'plain'} onClick={run}>
      {action.label}
    </Button>
  );
}

function useRows({ operation, refresh_s = default_refresh_s }: PanelRecord) {
  // The operations of plugins have no types here.
  const untyped = api as unknown as { useRead: (id: string, input: object, options: object) => ReturnType<typeof api.useRead> };
  return untyped.useRead(operation, {}, { every_ms: refresh_s * 1_000, on: ['extension.changed'] });
}

function useColumns(panel: PanelRecord, rows: readonly Row[], menuOf: ((row: Row) => MenuEntry[]) | undefined): Column<Row>[] {
  const text = useShellTexts();
  const keys = panel.columns ?? columnsOf(rows);
  const columns: Column<Row>[] = keys.map((key) => ({
    id: key,
    label: labelOf(key),
    show: (row) => <CellValue value={valueAt(row, key)} />,
    sortBy: (row) => sortValue(valueAt(row, key)),
    isNumeric: rows.length > 0 && rows.every((row) => typeof valueAt(row, key) === 'number'),
  }));
  if (!menuOf) return columns;
  const menu: Column<Row> = {
    id: ' actions',
    label: text.panel.actions,
    hidesLabel: true,
    width: '3rem',
    show: (row) => <Menu label={text.panel.actions} items={menuOf(row)} isSmall />,
  };
  return [...columns, menu];
}

function sortValue(value: unknown): string | number | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'number' || typeof value === 'string' ? value : JSON.stringify(value);
}

function showFailure(error: unknown): void {
  const { title, detail } = failureText(error);
  notify(title, { kind: 'error', detail: isFailure(error) ? detail : undefined });
}
