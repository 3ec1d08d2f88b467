import type { OfficePackage } from './office-package.js';

/** Elements that become a line each: the name of a series, its categories and its values (ECMA-376 part 1, 21.2). */
const lineElements: ReadonlySet<string> = new Set(['tx', 'cat', 'val', 'xVal', 'yVal']);

/** Returns the titles of a chart, and a line with tabs for the names and values of each series. */
export async function readChart(office: OfficePackage, path: string): Promise<string> {
  const lines: string[] = [];
  let values: string[] = [];
  let text = '';
  let isText = false;
  await office.parse(path, {
    open(name) {
      isText = name === 't' || name === 'v';
      if (name === 'v') text = '';
    },
    text(piece) {
      if (isText) text += piece;
    },
    close(name) {
      isText = false;
      if (name === 'v') values.push(text.trim());
      else if (name === 'p') lines.push(text.trim());
      else if (lineElements.has(name)) lines.push(values.join('\t'));
      if (name === 'v' || name === 'p') text = '';
      if (lineElements.has(name)) values = [];
    },
  });
  return lines.filter((line) => line.trim() !== '').join('\n');
}
