import type { BrowserFiles, ExtensionPages } from '../../kernel/contract/index.js';

/** Returns the address of an extension's file. */
export type Address = (extension: string, file: string) => string;

interface Parts {
  /** Files of the web app itself. */
  shell: BrowserFiles;
  pages: readonly Pick<ExtensionPages, 'extension' | 'files' | 'entries'>[];
  address: Address;
}

const always = ['react', 'react/jsx-runtime', '@platform/kit'];

/** Returns the addresses of all modules that the browser of a logged-in member needs to show a path, beyond those of the log-in. */
export function modulesFor(path: string, { shell, pages, address }: Parts): string[] {
  const { module = '', app = '', imports = {} } = shell;
  const page = pages.find(({ extension, entries }) => extension !== 'web' && entries.some((entry) => isAtOrBelow(path, entry.path)));
  const names = [...always, ...(page?.files.uses ?? [])];
  const first = new Set(withParts(shell, module));
  const later = [app, ...names.map((name) => imports[name] ?? '')].flatMap((file) => withParts(shell, file));
  const ofShell = [...new Set(later)].filter((file) => !first.has(file)).map((file) => address('web', file));
  return page ? [...ofShell, ...withParts(page.files, page.files.module ?? '').map((file) => address(page.extension, file))] : ofShell;
}

function isAtOrBelow(path: string, top: string): boolean {
  return path === top || path.startsWith(`${top}/`);
}

/** Returns a file and those that it imports at once; none for an unnamed file. */
function withParts({ parts = {} }: BrowserFiles, file: string): string[] {
  return file === '' ? [] : [file, ...(parts[file] ?? [])];
}
