import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { ActiveOperation } from '../../../../kernel/core/catalog/catalog.js';
import { comparableInput } from '../../../../kernel/core/invoke/comparable-input.js';
import { temporaryFolder } from '../../../helpers/platform.js';

const operation = (kind: 'call' | 'upload') => ({ operation: { kind } }) as unknown as ActiveOperation;

t.test('uploads compare by the name and content of their file, not by its path', async (t) => {
  const folder = await temporaryFolder(t);
  const inputOf = async (at: string, content: string, filename = 'a.txt') => {
    const path = join(folder, at);
    await writeFile(path, content);
    return comparableInput(operation('upload'), { note: 'x', file: { path, filename, bytes: content.length } });
  };
  const first = await inputOf('1', 'One');
  t.same(await inputOf('2', 'One'), first);
  t.notSame(await inputOf('3', 'Two'), first);
  t.notSame(await inputOf('4', 'One', 'b.txt'), first);
  t.notMatch(JSON.stringify(first), folder);
  const input = { file: { path: 'x' } };
  t.equal(await comparableInput(operation('call'), input), input, 'other calls compare as they are');
});
