import { isBuiltin } from 'node:module';
import { join, resolve, sep } from 'node:path';
import type { OnResolveArgs, OnResolveResult, OutputFile, Plugin } from 'esbuild';

/** What extensions import of the platform, under this name. */
const contract = 'platform/contract';
/** What authors' tests import besides. */
const testing = 'platform/testing';

export interface BundlerOptions {
  /** Paths within the bundle are told from here. */
  root: string;
  /** The file with which it begins. */
  entry: string;
  /** Where the bundle would lie; nothing is written. */
  outfile: string;
  /** The folder of the platform's contract, for those who import it by its path. */
  contract: string;
  /**
   * Decides on what is neither the contract nor Node's own: an npm package by its name, a file by its path. Whatever it gives is
   * what the bundle makes of it; without a decision it becomes a part of the bundle.
   */
  decide?: (found: { package: string } | { file: string }) => OnResolveResult | undefined;
  sourcemap: 'linked' | 'inline' | undefined;
  /** Takes the contract in as well: nobody will hand it over. Default false. */
  isAlone?: boolean;
  /** Where that lies which tests import as `platform/testing`. Default: it is refused. */
  testing?: string | undefined;
}

/**
 * One CommonJS file of an extension. It has the `require` that the host hands it and nothing else: the contract, and Node's modules by
 * their full names. Fails with esbuild's own error.
 */
export async function bundleCode(options: BundlerOptions): Promise<{ files: OutputFile[]; warnings: string[] }> {
  const { build } = await import('esbuild');
  const { root, entry, outfile, sourcemap } = options;
  const result = await build({
    entryPoints: [entry],
    outfile,
    absWorkingDir: root,
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    ...(sourcemap === undefined ? {} : { sourcemap }),
    // So `import()` becomes that `require` too.
    supported: { 'dynamic-import': false },
    logLevel: 'silent',
    plugins: [boundary(options)],
  });
  return { files: result.outputFiles, warnings: result.warnings.map(({ text }) => text) };
}

/** Decides for each import of a bundle whether it is inside, outside, or refused. */
function boundary({ contract: folder, decide = () => undefined, isAlone = false, testing: tests }: BundlerOptions): Plugin {
  const contractFolder = folder + sep;
  const resolved = ({ path, kind, resolveDir }: OnResolveArgs): OnResolveResult | undefined => {
    if (kind === 'entry-point') return undefined;
    if (path === contract) return isAlone ? { path: join(folder, 'index.js') } : { path, external: true };
    if (path === testing)
      return tests === undefined ? { errors: [{ text: `'${testing}' is for tests alone` }] } : { path: tests, external: true };
    if (isBuiltin(path)) return { path: path.startsWith('node:') ? path : `node:${path}`, external: true };
    if (!path.startsWith('.') && !path.startsWith('/')) return decide({ package: packageOf(path) });
    const target = resolve(resolveDir, path);
    return target.startsWith(contractFolder) && !isAlone ? { path: contract, external: true } : decide({ file: target });
  };
  return { name: 'boundary', setup: (build) => build.onResolve({ filter: /.*/ }, resolved) };
}

/** `@scope/name/part` is a part of `@scope/name`. */
function packageOf(path: string): string {
  return path.split('/', path.startsWith('@') ? 2 : 1).join('/');
}

export interface OwnBundle {
  /** Of the project, and of the extension within it. */
  root: string;
  folder: string;
  manifest: { id: string; requires?: readonly string[] };
}

/** The bundle of one of the platform's own extensions: npm packages stay outside, as far as its manifest names them. */
export async function bundleOwn({ root, folder, manifest }: OwnBundle): Promise<OutputFile[]> {
  const own = join(root, folder) + sep;
  const granted = new Set(manifest.requires ?? []);
  const refuse = (text: string) => ({ errors: [{ text: `Extension '${manifest.id}' ${text}` }] });
  const { files, warnings } = await bundleCode({
    root,
    entry: join(root, folder, 'index.ts'),
    outfile: join(root, 'dist', folder, 'index.cjs'),
    contract: join(root, 'kernel', 'contract'),
    sourcemap: 'linked',
    decide(found) {
      if ('package' in found) {
        return granted.has(found.package)
          ? { external: true }
          : refuse(`requires '${found.package}', which its manifest's 'requires' doesn't name`);
      }
      if (found.file.startsWith(own)) return undefined;
      return refuse(`imports a value from ${found.file.slice(root.length + 1)}; only types may come from there (import type)`);
    },
  });
  if (warnings.length > 0) throw new Error(`Extension '${manifest.id}': ${warnings.join('; ')}`);
  return files;
}
