import { execFileSync } from 'node:child_process';

/** Lists the Markdown files of the project that git tracks. Fixtures and examples of bundles are not documentation. */
export function markdownFiles(): string[] {
  const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], { encoding: 'utf8' });
  return tracked.split('\n').filter((name) => name !== '' && !name.startsWith('test/'));
}

/** A link of a page: the path, relative to the page, and the heading behind `#`. Links to other sites are left out. */
export interface Link {
  path: string;
  heading: string;
}

export function linksIn(text: string): Link[] {
  const found = [...withoutCode(text).matchAll(/\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)|(?:src|href)="([^"]+)"/g)];
  return found
    .map(([, link, attribute]) => link ?? attribute ?? '')
    .filter((link) => !/^[a-z][a-z0-9+.-]*:/i.test(link))
    .map((link) => {
      const [path = '', heading = ''] = link.split('#', 2);
      return { path: decodeURIComponent(path), heading };
    });
}

/** Returns the anchors of a page's headings, as forges make them: lower case, without punctuation, spaces as dashes, doubles numbered. */
export function anchorsIn(text: string): Set<string> {
  const seen = new Map<string, number>();
  const anchors = new Set<string>();
  for (const [, title = ''] of withoutFences(text).matchAll(/^#{1,6} +(.+?) *#* *$/gm)) {
    const plain = title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = plain.replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '').replaceAll(' ', '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
  }
  return anchors;
}

/** Returns the blocks of a page that are marked as `sh run`, in order. */
export function runnableBlocks(text: string): string[] {
  return [...text.matchAll(/^```sh run\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
}

function withoutFences(text: string): string {
  return text.replaceAll(/^( *)(```+|~~~+)[^\n]*\n[\s\S]*?^\1\2[^\n]*$/gm, '');
}

function withoutCode(text: string): string {
  return withoutFences(text).replaceAll(/`[^`\n]*`/g, '');
}
