import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

const LICENCE = /^(licen[cs]e|copying|unlicense)([.-](md|txt|markdown|mit|apache|bsd))*$/i;
const NOTICE = /^notice([.-](md|txt))?$/i;
const RULE = '-'.repeat(79);

/**
 * Returns the licence texts of packages, equal ones once. `packages` are entries of the lock, installed below `root`; `extra` is a
 * folder with texts, `name@version.txt`, of packages that come without one. Throws if a text is missing, or one is no longer needed.
 */
export async function noticesOf({ root, packages, extra }) {
  const added = new Map((await readdir(extra)).map((file) => [basename(file, '.txt').replace('+', '/'), join(extra, file)]));
  const groups = new Map();
  const missing = [];
  for (const part of packages) {
    const id = `${part.name}@${part.version}`;
    const text = (await ownText(root, part)) ?? (await addedText(added, id)) ?? (await ownersText({ root, packages, part }));
    if (text === undefined) missing.push(id);
    else groups.set(text, (groups.get(text) ?? new Set()).add(`${id} (${await licenceName(root, part)})`));
  }
  if (missing.length > 0) {
    throw new Error(`No licence text: ${missing.join(', ')}. Find it, and add it as a file to ${extra}`);
  }
  const unused = [...added.keys()].filter((id) => !packages.some(({ name, version }) => id === `${name}@${version}`));
  if (unused.length > 0) throw new Error(`${extra} has texts of packages that are not installed: ${unused.join(', ')}`);
  const sections = [...groups].map(([text, ids]) => `${[...ids].sort(byText).join('\n')}\n\n${text}\n`).sort(byText);
  return `${heading}\n${sections.map((section) => `${RULE}\n${section}`).join('\n')}`;
}

const heading = `Packages that Platform depends on, and their licences. npm installs them beside it; Sequelize and what
it needs are also part of dist/kernel/platform/data/sequelize.cjs. Those that the web app alone needs are part of its files
in dist/extensions/web/web.
`;

const byText = (one, other) => (one < other ? -1 : 1);

/** Returns the SPDX name of a package's licence. */
export async function licenceName(root, { path, license }) {
  if (license !== undefined) return license;
  const { licenses: [{ type }] = [{}] } = JSON.parse(await readFile(join(root, path, 'package.json'), 'utf8'));
  if (type === undefined) throw new Error(`${path}/package.json names no licence`);
  return type;
}

/** The files of an installed package, or the part of its README under the heading License. */
async function ownText(root, { path }) {
  const folder = join(root, path);
  if (!existsSync(folder)) return undefined;
  const names = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile()).map(({ name }) => name);
  const read = async (name) => (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n').trim();
  const licences = names.filter((name) => LICENCE.test(name)).sort();
  if (licences.length > 0) {
    const files = [...licences, ...names.filter((name) => NOTICE.test(name))];
    return (await Promise.all(files.map(read))).join('\n\n');
  }
  const readme = names.find((name) => /^readme\.md$/i.test(name));
  const [, section = ''] = /^#+ *licen[cs]e *\n([\s\S]*?)(?=^#+ |(?![\s\S]))/im.exec(readme ? await read(readme) : '') ?? [];
  return /permission|redistribution/i.test(section) ? section.trim() : undefined;
}

async function addedText(added, id) {
  const file = added.get(id);
  return file === undefined ? undefined : (await readFile(file, 'utf8')).trim();
}

/** Returns the text of the package that names this one as its part for some system: binaries come without, and only ours is installed. */
async function ownersText({ root, packages, part }) {
  if (!part.optional || (part.os ?? part.cpu) === undefined) return undefined;
  const owner = packages.find(({ license, optionalDependencies = {} }) => license === part.license && part.name in optionalDependencies);
  return owner && ownText(root, owner);
}
