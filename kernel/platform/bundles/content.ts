import type { Failure } from '../../contract/failure.js';
import { isFailure } from '../../contract/failure.js';
import type { Manifest } from '../../contract/manifest.js';
import { parseForeignManifest } from '../../core/host/foreign-manifest.js';
import { assertNone, assertPlainJson } from '../../core/host/manifest.js';
import { isReserved } from '../../core/host/reserved-ids.js';
import { settingDefaultFaults } from '../../core/host/setting-defaults.js';
import type { Archive } from './archive.js';
import { fail } from './codes.js';
import type { BundleEntry } from './entries.js';
import { main_bytes, manifest_bytes, readme_bytes, skill_bytes } from './limits.js';
import { assertSafe, shown } from './names.js';
import { readSkillText, type Skill } from './skill.js';
import { brokenLinks } from './skill-links.js';

/** The descriptive files of a bundle. */
export interface Content {
  manifest: Manifest;
  /** Markdown; empty if there is none. */
  readme: string;
  /** Parsed `SKILL.md`, for skills. */
  skill?: Skill;
  /** Sentences about content that is valid but probably unintended. */
  warnings: readonly string[];
}

export interface ContentRules {
  /** Type declared by the publisher. */
  type?: Manifest['type'] | undefined;
  /** First words reserved for the platform, which no id may start with. */
  builtin?: readonly string[] | undefined;
  /** Whether it is installed already: rules that may be newer than it do not apply. */
  installed?: boolean | undefined;
}

/** Reads the descriptive files and collects all their faults; without faults the content is set. */
export async function readContent(archive: Archive, rules: ContentRules): Promise<{ content?: Content; faults: Failure[] }> {
  const faults: Failure[] = [];
  const attempt = async <T>(work: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (fault) {
      if (!isFailure(fault)) throw fault;
      faults.push(fault);
      return undefined;
    }
  };
  const files = new Map(archive.entries.filter(({ isFolder }) => !isFolder).map((entry) => [entry.path, entry]));
  await attempt(() => assertNoNativeCode(files));
  const manifest = await attempt(() => readManifest(archive, files));
  if (manifest === undefined) return { faults };
  await attempt(() => assertRules(manifest, rules));
  if (rules.installed !== true) await attempt(() => assertNone(settingDefaultFaults(manifest)));
  const readme = await attempt(() => readReadme(archive, files, manifest));
  if (manifest.type === 'plugin') await attempt(() => assertMain(files, manifest));
  const skill = manifest.type === 'skill' ? await attempt(() => readSkill(archive, files)) : undefined;
  const { warnings = [], ...said } = skill ?? {};
  return { content: { manifest, readme: readme ?? '', ...said, warnings }, faults };
}

type Files = ReadonlyMap<string, BundleEntry>;

async function readManifest(archive: Archive, files: Files): Promise<Manifest> {
  const entry = files.get('manifest.json');
  if (entry === undefined) {
    const deeper = [...files.keys()].find((path) => path.endsWith('/manifest.json'));
    throw fail('manifest_missing', `The bundle has no manifest.json${deeper === undefined ? '' : misplaced(deeper)}`);
  }
  const source = await text(archive, entry, { max: manifest_bytes, code: 'manifest_invalid' });
  assertPlainJson(source);
  return parseForeignManifest(source);
}

/** Explains a manifest that is not at the top: many programs pack a folder with its own name. */
function misplaced(path: string): string {
  const folder = path.slice(0, -'/manifest.json'.length);
  return `; it must lie at the top, not at '${shown(path)}': pack what is in the folder '${shown(folder)}', not the folder, or use: platform extension pack <folder>`;
}

function assertRules({ id, type }: Manifest, { type: named, builtin = [] }: ContentRules): void {
  if (isReserved(id, builtin))
    throw fail('id_reserved', `The id '${id}' can't be used: names that begin with '${id.split('.', 1)[0]}' belong to the platform`);
  if (named !== undefined && named !== type) {
    throw fail('bundle_type_mismatch', `The bundle is said to be a ${named}, but its manifest.json says ${type}`);
  }
}

function assertMain(files: Files, { main = 'index.cjs' }: Manifest): void {
  assertSafe(main);
  const entry = files.get(main.normalize('NFC'));
  if (entry === undefined) throw fail('main_missing', `The bundle has no '${shown(main)}', which 'main' of its manifest.json names`);
  if (entry.bytes > main_bytes) throw fail('main_too_large', `'${shown(main)}' has ${entry.bytes} bytes; at most ${main_bytes} are loaded`);
}

async function readReadme(archive: Archive, files: Files, { readme }: Manifest): Promise<string> {
  const path = (readme ?? 'README.md').normalize('NFC');
  assertSafe(path);
  const entry = files.get(path);
  if (entry !== undefined) return text(archive, entry, { max: readme_bytes, code: 'readme_invalid' });
  if (readme === undefined) return '';
  throw fail('readme_invalid', `The bundle has no '${shown(readme)}', which 'readme' of its manifest.json names`);
}

async function readSkill(archive: Archive, files: Files): Promise<{ skill: Skill; warnings: readonly string[] }> {
  const entry = files.get('SKILL.md');
  if (entry === undefined) throw fail('skill_missing', 'The bundle of a skill has no SKILL.md at its top');
  const { skill, warnings } = await readSkillText(await text(archive, entry, { max: skill_bytes, code: 'skill_invalid' }));
  return { skill, warnings: [...warnings, ...brokenLinks(skill.body, files.keys())] };
}

/** Rejects native code, because it would run outside of the sandbox. */
function assertNoNativeCode(files: Files): void {
  const native = [...files.keys()].find((path) => /\.node$/i.test(path));
  if (native !== undefined) throw fail('bundle_native_code', `'${shown(native)}' is native code, which can't be sandboxed`);
}

async function text(
  archive: Archive,
  entry: BundleEntry,
  { max, code }: { max: number; code: 'manifest_invalid' | 'readme_invalid' | 'skill_invalid' },
): Promise<string> {
  const path = shown(entry.path);
  if (entry.bytes > max) throw fail(code, `${path} has ${entry.bytes} bytes; at most ${max} are read`);
  const pieces: Buffer[] = [];
  for await (const piece of archive.content(entry)) pieces.push(piece);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces));
  } catch (cause) {
    throw fail(code, `${path} is not UTF-8`, { cause });
  }
}
