import { isBuiltin } from 'node:module';
import { join, resolve, sep } from 'node:path';
import type { OnResolveArgs, OnResolveResult, OutputFile, Plugin } from 'esbuild';

/** Import name of the platform's contract. */
const contract = 'platform/contract';
/** Import name of the kit for authors' tests. */
const testing = 'platform/testing';

export interface BundlerOptions {
  /** Base of the paths within the bundle. */
  root: string;
  /** Entry file. */
  entry: string;
  /** Path of the bundle for source maps; nothing is written. */
  outfile: string;
  /** The folder of the platform's contract, for those who import it by its path. */
  contract: string;
  /**
   * Decides about imports other than the contract and Node's modules: an npm package by name, a file by path. Returns esbuild's
   * result for it; undefined includes it in the bundle.
   */
  decide?: (found: { package: string } | { file: string }) => OnResolveResult | undefined;
  sourcemap: 'linked' | 'inline' | undefined;
  /** Includes the contract in the bundle, because there is no host to provide it. Default false. */
  isAlone?: boolean;
  /** Path that tests import as `platform/testing`. Default: the import is rejected. */
  testing?: string | undefined;
}

/**
 * Bundles an extension into one CommonJS file. Its only imports are those of the host's `require`: the contract, and Node's modules by
 * their full names. Rejects with esbuild's error.
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
    // Converts `import()` to that `require` too.
    supported: { 'dynamic-import': false },
    logLevel: 'silent',
    plugins: [boundary(options)],
  });
  return { files: result.outputFiles, warnings: result.warnings.map(({ text }) => text) };
}

/** Decides for each import whether it is bundled, external, or rejected. */
function boundary({ contract: folder, decide = () => undefined, isAlone = false, testing: tests }: BundlerOptions): Plugin {
  const contractFolder = folder + sep;
  const resolved = ({ path, kind, resolveDir }: OnResolveArgs): OnResolveResult | undefined => {
    if (kind === 'entry-point') return undefined;
    if (path === contract) return isAlone ? { path: join(folder, 'index.js') } : { path, external: true };
    if (path === testing)
      return tests === undefined ? { errors: [{ text: `'${testing}' is only for tests` }] } : { path: tests, external: true };
    if (isBuiltin(path)) return { path: path.startsWith('node:') ? path : `node:${path}`, external: true };
    if (!path.startsWith('.') && !path.startsWith('/')) return decide({ package: packageOf(path) });
    const target = resolve(resolveDir, path);
    return target.startsWith(contractFolder) && !isAlone ? { path: contract, external: true } : decide({ file: target });
  };
  return { name: 'boundary', setup: (build) => build.onResolve({ filter: /.*/ }, resolved) };
}

/** Returns the package of an import: `@scope/name` for `@scope/name/part`. */
function packageOf(path: string): string {
  return path.split('/', path.startsWith('@') ? 2 : 1).join('/');
}

export interface OwnBundle {
  /** Folder of the project; `folder` is the extension's path within it. */
  root: string;
  folder: string;
  manifest: { id: string; requires?: readonly string[] };
}

/** Bundles a built-in extension. npm packages named in its manifest stay external; others are rejected. */
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
