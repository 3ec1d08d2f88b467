import { access } from 'node:fs/promises';
import t from 'tap';
import { readProgram } from './program.js';

t.test("a program's libraries are found by paths on this machine", async (t) => {
  const { libraries } = await readProgram('sh');
  t.match([...libraries.keys()].join('\n'), /libc\b/);
  await Promise.all([...libraries.keys()].map((path) => access(path)));
});
