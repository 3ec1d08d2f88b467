import { harmlessJson } from '../../kernel/client/terminal-text.js';
import type { AuditRecord } from '../../kernel/contract/system.js';
import { ago } from '../kit/formats.js';
import { Log } from '../kit/log.js';

const label_columns = 10;

function whoIn({ member_id, username }: AuditRecord): string {
  if (member_id !== 0) return `${username} (${member_id})`;
  return username === '' ? 'nobody known' : `nobody known, by the name ${username}`;
}

/** All of a row, its input at the end. */
export function Details({ row, now }: { row: AuditRecord; now: number }) {
  const fields: [string, string | number][] = [
    ['When', `${row.at} (${ago(row.at, now)})`],
    ['Who', whoIn(row)],
    ['Operation', row.operation],
    ['About', row.target || '-'],
    ['Outcome', row.outcome],
    ['Times', row.times === 1 ? '1' : `${row.times}, the last at ${row.last_at}`],
    ['Door', row.via === '' ? row.door : `${row.door} (${row.via})`],
    ['Address', row.address || '-'],
    ['Request', row.request_id],
  ];
  const lines = fields.map(([label, value]) => `${label.padEnd(label_columns)}  ${value}`);
  const input = harmlessJson(JSON.stringify(row.input, null, 2)).split('\n');
  return <Log lines={[...lines, '', 'Input', ...input]} follow={false} wrap />;
}
