import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { KnownSkill } from '../../../../extensions/agents/skills/skills.js';
import type { Installation, InstalledExtension } from '../../../../kernel/contract/index.js';
import { removeFolder } from '../../../../kernel/platform/bundles/folder.js';
import { callerOf, fixture, ownExtension, type TestPlatform, temporaryFolder } from '../../../helpers/platform.js';
import { zipOf } from '../../../kernel/platform/bundles/zip.js';

export type Contents = Readonly<Record<string, string | Buffer>>;

/** Platforms that have skills installed as a marketplace does it. */
export const withMarket = {
  extensions: [...['members', 'chat', 'agents'].map(ownExtension), ...['toolsmith', 'yard', 'market'].map(fixture)],
};

/** Files in the shape of public skills: https://agentskills.io/specification */
export const reports: Contents = {
  'SKILL.md': `---
name: table-reports
description: Makes reports of tables. Use it when somebody asks for sums, or for a report of figures.
license: MIT
compatibility: Needs a shell.
metadata:
  author: Acme
  version: "1.0"
allowed-tools: Bash(awk:*) Read
---
# Table reports

Run \`scripts/sum.sh <file>\`; read [the rules](references/RULES.md) first.
`,
  'scripts/sum.sh': '#!/bin/sh\nawk -F, "{ sum += \\$2 } END { print \\"Sum: \\" sum }" "$1"\n',
  'references/RULES.md': '# Rules\n\nSums have no decimals.\n',
  'assets/sample.csv': 'a,1\nb,41\n',
  'LICENSE.txt': 'Do what you like.\n',
};

/** The same under other names, or with another text. */
export const skillText = (name: string, description: string, body = '# Body\n') =>
  `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n${body}`;

/** The ZIP of a skill. */
export function skillZip(id: string, contents: Contents, version = '1.0.0'): Buffer {
  const manifest = { id, name: id, type: 'skill', version, description: 'A skill.', author: 'Acme', license: 'MIT' };
  const files = { 'manifest.json': JSON.stringify(manifest), ...contents };
  return zipOf(Object.entries(files).map(([name, content]) => ({ name, content })));
}

export async function install({ kernel }: TestPlatform, zip: Buffer): Promise<Installation> {
  const { body } = await kernel.invoke('market.install', { zip: zip.toString('base64') }, callerOf());
  return body as Installation;
}

export async function uninstall({ kernel }: TestPlatform, id: string): Promise<void> {
  await kernel.invoke('market.uninstall', { id }, callerOf());
}

/** The folders of what is installed can only be read: only root removes them as they are. */
export function tidied(t: Test, ...platforms: readonly TestPlatform[]): void {
  for (const { data_dir } of platforms) t.teardown(() => removeFolder(join(data_dir, 'extensions')));
}

/** A skill as it would lie on an instance, for tests without a platform. */
export async function skillIn(t: Test, contents: Contents, change: Partial<KnownSkill> = {}): Promise<KnownSkill> {
  const folder = join(await temporaryFolder(t), randomUUID());
  for (const [name, content] of Object.entries(contents)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  const files = Object.entries(contents).map(([name, content]) => ({ name, bytes: Buffer.byteLength(content) }));
  return { ...blank, folder, files, ...change };
}

export const blank: KnownSkill = {
  id: 'acme.one',
  version: '1.0.0',
  content_hash: `sha256:${'a'.repeat(64)}`,
  folder: '/none',
  name: 'one',
  label: 'one',
  description: 'Does one thing.',
  body: '# One\n',
  files: [],
};

/** How the kernel lists what is installed. */
export const listed = (id: string, change: Partial<InstalledExtension> = {}): InstalledExtension => ({
  id,
  name: id,
  type: 'skill',
  version: '1.0.0',
  content_hash: '',
  permissions: {},
  state: 'active',
  error: null,
  installed_at: '',
  folder: `/skills/${id}`,
  ...change,
});
