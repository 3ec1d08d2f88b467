import type { Test } from 'tap';
import { reasons } from '../../../../kernel/platform/documents/refusal.js';
import type { DocumentCase } from './cases/case.js';
import { listen } from './listener.js';
import { open } from './opened.js';

const codes = new Map<string, string>(Object.entries(reasons).map(([code, reason]) => [reason, code]));

/** Checks that documents are answered as expected by processes behind walls, and that no request leaves. */
export async function checkBehindWalls(t: Test, groups: Readonly<Record<string, readonly DocumentCase[]>>): Promise<void> {
  const { url, connections } = await listen(t);
  const { documents } = await open(t);
  const left = Object.values(groups).flat();
  const read = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { name, make, file = 'document', answer } = next;
      const found = await documents.read(Buffer.from(await make(url)), { name: file, mime_type: '' });
      const text = 'reason' in found ? `refused: ${codes.get(found.reason)}` : found.pages.join('\f');
      if (typeof answer === 'string') t.equal(text, answer, name);
      else t.match(text, answer, name);
    }
  };
  await Promise.all([read(), read()]);
  t.equal(connections(), 0);
}
