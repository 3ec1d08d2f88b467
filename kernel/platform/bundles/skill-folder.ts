import { lstat, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { isFailure } from '../../contract/failure.js';
import { entriesBelow } from '../files/entries-below.js';
import { fail } from './codes.js';
import { isJunk } from './junk-files.js';
import { skill_bytes } from './limits.js';
import type { BundleFile } from './reader.js';
import { parseSkill, type Skill } from './skill.js';

/** A skill that was unpacked to a folder, with its files in path order. */
export interface SkillFolder extends Skill {
  files: readonly BundleFile[];
}

/** Reads a skill's folder. @throws `skill_invalid` if it no longer contains a skill */
export async function readSkillFolder(folder: string): Promise<SkillFolder> {
  try {
    const file = join(folder, 'SKILL.md');
    const { size } = await lstat(file);
    if (size > skill_bytes) throw fail('skill_invalid', `SKILL.md has ${size} bytes; at most ${skill_bytes} are read`);
    const source = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
    return { ...(await parseSkill(source)), files: await filesIn(folder) };
  } catch (cause) {
    if (isFailure(cause)) throw cause;
    throw fail('skill_invalid', "The folder of the skill can't be read", { cause });
  }
}

/** Lists the files; bundles contain no links. */
async function filesIn(folder: string): Promise<BundleFile[]> {
  const files: BundleFile[] = [];
  for (const entry of await entriesBelow(folder)) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path).split(sep).join('/');
    // Earlier versions also unpacked junk files.
    if (!isJunk(name)) files.push({ name, bytes: (await lstat(path)).size });
  }
  return files.sort((one, other) => (one.name < other.name ? -1 : 1));
}
