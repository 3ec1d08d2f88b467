import { lstat, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { isFailure } from '../../contract/failure.js';
import { entriesBelow } from '../files/entries-below.js';
import { fail } from './codes.js';
import { isJunk } from './junk-files.js';
import { skill_bytes } from './limits.js';
import type { BundleFile } from './reader.js';
import { parseSkill, type Skill } from './skill.js';

/** What a skill says that was unpacked to a folder, and its files in the order of their paths. */
export interface SkillFolder extends Skill {
  files: readonly BundleFile[];
}

/** @throws `skill_invalid` where the folder holds no skill any more */
export async function readSkillFolder(folder: string): Promise<SkillFolder> {
  try {
    const file = join(folder, 'SKILL.md');
    const { size } = await lstat(file);
    if (size > skill_bytes) throw fail('skill_invalid', `SKILL.md has ${size} bytes; at most ${skill_bytes} are read`);
    const source = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
    return { ...(await parseSkill(source)), files: await filesIn(folder) };
  } catch (cause) {
    if (isFailure(cause)) throw cause;
    throw fail('skill_invalid', 'The folder of the skill can not be read', { cause });
  }
}

/** Files alone: nothing of a bundle is a link. */
async function filesIn(folder: string): Promise<BundleFile[]> {
  const files: BundleFile[] = [];
  for (const entry of await entriesBelow(folder)) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path).split(sep).join('/');
    // Earlier versions unpacked such files too.
    if (!isJunk(name)) files.push({ name, bytes: (await lstat(path)).size });
  }
  return files.sort((one, other) => (one.name < other.name ? -1 : 1));
}
