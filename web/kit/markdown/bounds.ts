/**
 * Bounds on a block of Markdown. Its writer may be a stranger or a model, and must not be able to hold a reader's page: some texts take a parser
 * more than linear time, and deep or many elements take a browser's layout longer still.
 */
const max_length = 100_000;
const max_growing_length = 20_000;
/** Quotations and lists that one line opens. */
const max_containers = 50;
/** Characters that may open something: brackets, emphasis, code, entities, HTML, addresses. */
const max_openers = 6_000;
const max_depth = 60;
const max_nodes = 12_000;

/** A line's beginning with so many characters that it could open too many containers. */
const leads = new RegExp(`^[ \\t>*+\\-\\d.)]{${max_containers},}`, 'gm');
const containers = /[>*+.)]|-(?=[ \t])/g;
const openers = /[[\]*_~`<&@!]/g;

/** Returns whether a block may be parsed: judged by its characters, in linear time. One that grows is parsed again and again, so it gets less. */
export function isModest(text: string, isGrowing = false): boolean {
  if (text.length <= max_containers) return true;
  if (text.length > (isGrowing ? max_growing_length : max_length) || countOf(text, openers) > max_openers) return false;
  return (text.match(leads) ?? []).every((lead) => countOf(lead, containers) <= max_containers);
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

interface Tree {
  children?: readonly Tree[];
}

/** Refuses a parsed text that is too deep or has too many elements (a plugin of remark). Without recursion: the tree may be deeper than the stack. */
export function remarkBounds() {
  return (tree: unknown) => {
    let nodes = 0;
    const left: { node: Tree; depth: number }[] = [{ node: tree as Tree, depth: 0 }];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      nodes += 1;
      if (next.depth > max_depth || nodes > max_nodes) throw new RangeError('The Markdown is too deep or too large');
      for (const node of next.node.children ?? []) left.push({ node, depth: next.depth + 1 });
    }
  };
}
