/** A node of a page, as the PDF package lays out an XFA form. */
export interface XfaNode {
  name?: string;
  value?: unknown;
  attributes?: { value?: unknown; textContent?: unknown } | undefined;
  children?: readonly (XfaNode | undefined)[] | undefined;
}

/** Returns the texts and the values of a page of an XFA form (ISO 32000-1, 12.7.8). The package's own text lacks the values. */
export function xfaLines(root: XfaNode | null): string[] {
  const lines: string[] = [];
  const open: (XfaNode | undefined)[] = root === null ? [] : [root];
  for (let node = open.pop(); node !== undefined || open.length > 0; node = open.pop()) {
    if (node === undefined) continue;
    const text = node.value ?? node.attributes?.textContent ?? node.attributes?.value;
    if (typeof text === 'string' && text.trim() !== '') lines.push(text);
    for (const child of [...(node.children ?? [])].reverse()) open.push(child);
  }
  return lines;
}
