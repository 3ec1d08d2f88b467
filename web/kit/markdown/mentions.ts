interface TextNode {
  type: string;
  value?: string;
  children?: TextNode[];
  data?: { hName: string; hProperties: Record<string, string> };
}

interface Options {
  names: readonly string[];
  /** The reader's own username. */
  me?: string | undefined;
}

/** Marks `@name` outside of code as a mention, for names that are known (a plugin of remark). */
export function remarkMentions({ names, me }: Options) {
  const known = new Set(names.map((name) => name.toLowerCase()));
  const isMine = (name: string) => name === me?.toLowerCase() || name === 'room';
  return (tree: unknown) =>
    mark(tree as TextNode, (name) => (known.has(name) ? (isMine(name) ? 'kit-mention kit-mention-me' : 'kit-mention') : undefined));
}

/** `@` at the start of a word; a name ends before a final dot, as where mentions are resolved. */
const mention = /(?<![\p{L}\p{N}_@/])@([a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)/giu;

function mark(node: TextNode, classFor: (name: string) => string | undefined): void {
  if (node.type === 'code' || node.type === 'inlineCode' || node.type === 'link') return;
  if (node.children === undefined) return;
  node.children = node.children.flatMap((child) => (child.type === 'text' ? split(child.value ?? '', classFor) : [child]));
  for (const child of node.children) if (child.type !== 'mention') mark(child, classFor);
}

function split(text: string, classFor: (name: string) => string | undefined): TextNode[] {
  const parts: TextNode[] = [];
  let end = 0;
  for (const found of text.matchAll(mention)) {
    const className = classFor((found[1] ?? '').toLowerCase());
    if (className === undefined) continue;
    parts.push({ type: 'text', value: text.slice(end, found.index) });
    const children = [{ type: 'text', value: found[0] }];
    parts.push({ type: 'mention', data: { hName: 'span', hProperties: { className } }, children });
    end = found.index + found[0].length;
  }
  return [...parts, { type: 'text', value: text.slice(end) }].filter(({ type, value }) => type === 'mention' || value !== '');
}
