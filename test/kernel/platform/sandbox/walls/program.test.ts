import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { Spool } from '../../../../../kernel/platform/sandbox/spool.js';
import { WalledProcess } from '../../../../../kernel/platform/sandbox/walled-process.js';
import { Containment } from '../../../../../kernel/platform/sandbox/walls/containment.js';
import { skipWithout } from '../../../../helpers/parts.js';
import { temporaryFolder } from '../../../../helpers/platform.js';

const skip = skipWithout('namespaces');

t.test('a program of the platform reads what it was given, and can do nothing else', { skip }, async (t) => {
  const data_dir = await temporaryFolder(t);
  const walls = new Containment({ data_dir, trusted: [] });
  t.teardown(() => walls.dispose());
  const files = join(data_dir, 'files', 'xx');
  await mkdir(files, { recursive: true });
  const spool = await Spool.open();
  t.teardown(() => spool.dispose());
  await writeFile(join(spool.folder, 'document'), 'words', { mode: 0o444 });
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as { port: number };
  const main = fileURLToPath(new URL('./trying/main.js', import.meta.url));
  const program = { main, readable: [], refusal: (missing: string) => t.fail(missing) as never };
  const isolated = await walls.isolate('xx', {
    ...{ folder: dirname(main), files, spool: spool.folder, program, memory_mb: 64, trusted: false },
  });
  const process = new WalledProcess({
    command: isolated.command,
    arguments: () => [spool.folder, files, `${port}`],
    stdout: () => undefined,
    stderr: (line) => t.comment(line),
  });
  const pieces: Buffer[] = [];
  process.pipe.on('data', (piece: Buffer) => pieces.push(piece));
  const end = await process.ended;
  await isolated.dispose();
  t.match(end, { code: 0, signal: null });
  const denied = /^(ERR_ACCESS_DENIED|ENOENT|EACCES|EROFS)$/;
  t.match(JSON.parse(Buffer.concat(pieces).toString('utf8')), {
    document: 'words',
    passwd: denied,
    data: denied,
    writes: [denied, denied],
    program: /^(ERR_ACCESS_DENIED|Error)$/,
    // Node 25 and later refuse the network by their permissions, before the namespace would.
    network: /^(ENETUNREACH|ECONNREFUSED|EADDRNOTAVAIL|EHOSTUNREACH|ERR_ACCESS_DENIED)$/,
    env: [],
  });
});
