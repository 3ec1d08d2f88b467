import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';
import t from 'tap';

const max_bytes = 12 * 1024;

t.test('the client for pages needs nothing of Node and is small', async (t) => {
  const { outputFiles, metafile } = await build({
    entryPoints: ['kernel/client/browser/index.ts'],
    bundle: true,
    write: false,
    minify: true,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    logLevel: 'silent',
  });
  const packages = new Set(Object.keys(metafile.inputs).flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []));
  t.same([...packages], ['fastest-levenshtein']);
  const [output] = outputFiles;
  const bytes = brotliCompressSync(output?.contents ?? '').length;
  t.comment(`${output?.contents.length} bytes, ${bytes} compressed`);
  t.ok(bytes > 0 && bytes < max_bytes, `${bytes} bytes`);
});
