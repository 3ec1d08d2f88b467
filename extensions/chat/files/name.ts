import { firstUnits } from '../text.js';

/** Length limit of a file name, in UTF-16 units. */
const max_length = 200;
/** Length limit of an ending that stays when a name is cut. */
const max_ending = 20;

/**
 * Matches characters that are not visible or change how others are shown: controls, direction marks, lone surrogates. Joiners stay, because
 * emoji and some scripts need them.
 */
const invisible = /(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;
/** Matches characters that some file systems refuse or treat as part of a path. */
const reserved = /["*:<>?|]/g;
/** Matches names that are devices on Windows, with any ending. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Returns a file name that can be shown and saved anywhere: without folders, characters that change the order of the text, or names that
 * systems treat specially. Falls back to `file`.
 */
export function safeName(given: string): string {
  const last = given.slice(Math.max(given.lastIndexOf('/'), given.lastIndexOf('\\')) + 1);
  const visible = last.normalize('NFC').replace(invisible, '').replace(/\s+/gu, ' ').replace(reserved, '_');
  const trimmed = shorten(visible.replace(/^[ .]+|[ .]+$/g, ''));
  if (trimmed === '') return 'file';
  return device.test(trimmed) ? `_${trimmed}` : trimmed;
}

/** Shortens a name before its ending. */
function shorten(name: string): string {
  if (name.length <= max_length) return name;
  const dot = name.lastIndexOf('.');
  const ending = dot > 0 && name.length - dot <= max_ending ? name.slice(dot) : '';
  return firstUnits(name, max_length - ending.length).trimEnd() + ending;
}
