import { useQuery } from '@tanstack/react-query';
import { inputFrom } from '../../../kernel/client/panel-input.js';
import type { Row } from '../../../kernel/client/panel-rows.js';
import { connection } from '../../kit/data/connection.js';
import { Code, Dialog, Facts, Failed, jsonText, Loading } from '../../kit/index.js';
import { useShellTexts } from '../texts/index.js';
import { labelOf } from './label-of.js';
import { type PanelOperations, runPanelOperation } from './run.js';
import { CellValue } from './value.js';

/** Shows a record, as the plugin's operation for it answers, or as the list has it. */
export function Details({ row, id, known, close }: { row: Row; id: string | undefined; known: PanelOperations; close: () => void }) {
  const text = useShellTexts();
  const operation = id === undefined ? undefined : known[id];
  const input = operation ? inputFrom(row, operation) : {};
  const { data, error, isPending } = useQuery(
    {
      queryKey: [id ?? '', input],
      queryFn: async ({ signal }) => (await runPanelOperation(known, id as string, input, signal)) ?? null,
      enabled: operation !== undefined,
    },
    connection().query,
  );
  const value = operation === undefined ? row : data;
  return (
    <Dialog title={text.panel.details} isOpen onClose={close} size="large">
      {error ? <Failed error={error} /> : isPending && operation ? <Loading lines={5} /> : <Values value={value} />}
    </Dialog>
  );
}

/** Shows the answer of an action. */
export function Answer({ title, answer, close }: { title: string; answer: unknown; close: () => void }) {
  return (
    <Dialog title={title} isOpen onClose={close} size="large">
      <Values value={answer} />
    </Dialog>
  );
}

/** A record with more keys is shown as JSON. */
const max_facts = 100;

function Values({ value }: { value: unknown }) {
  const text = useShellTexts();
  const entries = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  if (entries.length === 0 || entries.length > max_facts || entries.some(([, each]) => isDeep(each)))
    return <Code label={text.panel.json} text={jsonText(value)} />;
  const items = entries.map(([key, each]) => [labelOf(key), <CellValue key={key} value={each} />] as const);
  return <Facts items={items} />;
}

function isDeep(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
