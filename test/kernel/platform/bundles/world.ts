import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Test } from 'tap';
import { isFailure } from '../../../../kernel/contract/index.js';
import { removeFolder } from '../../../../kernel/platform/bundles/folder.js';
import { temporaryFolder } from '../../../helpers/platform.js';
import type { Part } from './zip.js';

export const pluginManifest = {
  id: 'acme.hello',
  name: 'Hello',
  type: 'plugin',
  version: '1.2.3',
  description: 'Greets.',
  author: 'Acme',
};

export const skillManifest = { ...pluginManifest, id: 'acme.reports', name: 'Reports', type: 'skill' };

const skillText = '---\nname: reports\ndescription: Writes reports. Use it when somebody asks for one.\n---\n# Reports\n';

/** The parts of a plugin's bundle without a fault. */
export const goodPlugin = (manifest: object = pluginManifest): Part[] => [
  { name: 'manifest.json', content: JSON.stringify(manifest) },
  { name: 'index.cjs', content: 'exports.default = { activate() {} };\n' },
  { name: 'README.md', content: '# Hello\n', method: 0 },
  { name: 'assets/', method: 0 },
  { name: 'assets/greetings.txt', content: 'hello\n'.repeat(20), flags: 0x808 },
];

/** The same of a skill's. */
export const goodSkill = (manifest: object = skillManifest): Part[] => [
  { name: 'manifest.json', content: JSON.stringify(manifest) },
  { name: 'SKILL.md', content: skillText },
  { name: 'scripts/report.py', content: 'print("report")\n', mode: 0o100755 },
];

export interface Place {
  folder: string;
  /** Writes a file, and gives its path. */
  put: (bytes: Buffer, name?: string) => Promise<string>;
  /** Returns files in the folder that nobody put there. */
  others: () => Promise<string[]>;
}

/** A folder of a test's own, removed with all that was unpacked in it. */
export async function place(t: Test): Promise<Place> {
  const folder = await temporaryFolder(t);
  t.teardown(() => removeFolder(folder));
  const own = new Set<string>();
  return {
    folder,
    async put(bytes, name = 'bundle.zip') {
      own.add(name);
      await writeFile(join(folder, name), bytes);
      return join(folder, name);
    },
    others: async () => (await readdir(folder)).filter((name) => !own.has(name)),
  };
}

/** Every file below a folder with its content, by its path. */
export async function contentsOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const read = files.sort().map(async (file) => [relative(folder, file), (await readFile(file)).toString('latin1')] as const);
  return Object.fromEntries(await Promise.all(read));
}

export const sha256 = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** The code of the failure with which some work ends; `none` where it ends well, and what was thrown where it is no failure. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'none';
  } catch (fault) {
    return isFailure(fault) ? fault.code : `no failure: ${String(fault)}`;
  }
}
