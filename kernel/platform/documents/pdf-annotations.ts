/** The parts of an annotation that have text (ISO 32000-1, 12.5 and 12.7). */
interface Annotation {
  subtype?: unknown;
  contentsObj?: { str?: unknown };
  fieldName?: unknown;
  fieldValue?: unknown;
  checkBox?: unknown;
  radioButton?: unknown;
  /** Value of a field if this button of it is on. */
  buttonValue?: unknown;
  password?: unknown;
}

/** Kinds whose contents are a comment. */
const commentKinds: ReadonlySet<unknown> = new Set(['Text', 'Highlight', 'Underline', 'Squiggly', 'StrikeOut', 'Caret', 'Stamp']);

/** Returns the text of a page that is not part of its content: text boxes, comments, and filled-in fields of a form. */
export function annotationLines(annotations: readonly Annotation[]): string[] {
  return [...new Set(annotations.flatMap((annotation) => [...contentsOf(annotation), ...fieldOf(annotation)]))];
}

function contentsOf({ subtype, contentsObj }: Annotation): string[] {
  const text = contentsObj?.str;
  if (typeof text !== 'string' || text.trim() === '') return [];
  if (subtype === 'FreeText') return [text];
  return commentKinds.has(subtype) ? [`Comment: ${text}`] : [];
}

/** Returns a field as `name: value`. Buttons that are off and passwords are left out. */
function fieldOf({ fieldName, fieldValue, checkBox, radioButton, buttonValue, password }: Annotation): string[] {
  if (typeof fieldName !== 'string' || password === true) return [];
  if ((checkBox === true && fieldValue === 'Off') || (radioButton === true && fieldValue !== buttonValue)) return [];
  const values = (Array.isArray(fieldValue) ? fieldValue : [fieldValue]).filter((value) => typeof value === 'string');
  const value = values.join(', ').trim();
  return value === '' ? [] : [`${fieldName}: ${value}`];
}
