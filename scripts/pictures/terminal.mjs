import { stripVTControlCharacters } from 'node:util';

/** Draws what a command wrote to a terminal as a page. */
export function terminalPage(written, { columns }) {
  const lines = stripVTControlCharacters(written).trimEnd().split('\n');
  const escaped = lines.map((line) => line.slice(0, columns).replaceAll('&', '&amp;').replaceAll('<', '&lt;'));
  return `<!doctype html><meta charset="utf-8"><style>
    body { margin: 0; }
    pre {
      width: max-content; margin: 0; padding: 16px 20px; border-radius: 8px; background: #16181d; color: #d4d7dd;
      font: 14px/18px ui-monospace, 'DejaVu Sans Mono', 'Liberation Mono', monospace;
    }
  </style><pre>${escaped.join('\n')}</pre>`;
}
