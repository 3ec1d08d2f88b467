interface Element {
  properties?: Record<string, unknown>;
  children?: readonly Element[];
}

/** Attributes that name elements of the document. */
const naming = ['id', 'name', 'ariaDescribedBy', 'ariaLabelledBy', 'htmlFor', 'headers'] as const;

/**
 * Removes ids and references to them (a plugin of rehype). Footnotes get them from the text: two messages would have the same ones, and a text
 * could take a name that the app or the browser uses.
 */
export function rehypeWithoutIds() {
  return (tree: unknown) => strip(tree as Element);
}

function strip({ properties, children = [] }: Element): void {
  if (properties) for (const name of naming) delete properties[name];
  for (const child of children) strip(child);
}
