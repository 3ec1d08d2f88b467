import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { bundle_bytes } from '../../kernel/platform/bundles/limits.js';
import { examineFolder } from '../../kernel/platform/bundles/pack.js';
import { type Bundle, examine } from '../../kernel/platform/bundles/reader.js';
import type { Context } from '../command.js';
import { withRegularFile } from '../file-source.js';
import { print } from '../output.js';
import { type Row, tabbed } from '../table.js';
import { harmless, type Terminal } from '../terminal.js';
import { builtinWords } from './builtin-words.js';
import { reportingFaults, writeFaults, writeWarnings } from './faults.js';

/** Shows the contents of a bundle, or of the bundle that a folder would make. Writes all faults, then fails with the first. */
export async function checkExtension(path: string, command: Command, { terminal, signal }: Context): Promise<void> {
  const { json } = command.opts<{ json?: boolean | string }>();
  const options = { builtin: builtinWords(), signal };
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() === true;
  const examined = isFolder
    ? examineFolder(path, options)
    : withRegularFile(path, { terminal, max_bytes: bundle_bytes }, (file) => examine(file, options));
  const { bundle, faults } = await reportingFaults(examined, terminal);
  if (bundle !== undefined) show(bundle, json, terminal);
  if (bundle !== undefined) writeWarnings(bundle, terminal);
  writeFaults(faults, terminal);
  if (faults[0] !== undefined) throw faults[0];
}

function show(bundle: Bundle, json: boolean | string | undefined, terminal: Terminal): void {
  const { manifest, files, unpacked_bytes, content_hash, skill } = bundle;
  const { id, name, version, type, author, description, permissions = {}, contributes = {} } = manifest;
  if (json !== undefined) {
    const about = skill === undefined ? {} : { skill: { name: skill.name, description: skill.description } };
    print(
      { id, name, version, type, author, description, content_hash, unpacked_bytes, permissions, contributes, files, ...about },
      { json },
      terminal,
    );
    return;
  }
  const operations = Object.keys(contributes.operations ?? {}).join(', ');
  const for_members = Object.entries(contributes.operations ?? {}).flatMap(([id, { audience }]) => (audience === 'members' ? [id] : []));
  const granted = Object.entries(permissions).map(([key, value]) => `${key}: ${[value].flat().join(' ')}`);
  const summary = {
    id,
    name,
    version,
    type,
    author,
    description,
    content_hash,
    unpacked_bytes,
    operations,
    for_members: for_members.join(', '),
    permissions: granted.join('; '),
  };
  print(Object.fromEntries(Object.entries(summary).filter(([, value]) => value !== '')), {}, terminal);
  terminal.stdout.write(harmless(tabbed(files as unknown as Row[], ['name', 'bytes'])));
}
