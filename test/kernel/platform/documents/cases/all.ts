import type { DocumentCase } from './case.js';
import { disguised } from './disguised.js';
import { exhausting } from './exhausting.js';
import { letters } from './letters.js';
import { pdfContent } from './pdf-content.js';
import { pdfFiles } from './pdf-files.js';
import { pdfTexts } from './pdf-texts.js';
import { reaching } from './reaching.js';
import { refused } from './refused.js';
import { texts } from './texts.js';
import { workbooks } from './workbooks.js';

/** Documents of distinct causes: a claim about each group, and its documents. */
export const documents: Readonly<Record<string, readonly DocumentCase[]>> = {
  'PDFs are read however their files are built, broken or cut off': pdfFiles,
  'PDFs are read in all scripts and encodings': pdfTexts,
  'PDFs that are locked or carry something else are read as far as they open': pdfContent,
  'letters have all text that people see in them': letters,
  'workbooks and presentations have all values that people see in them': workbooks,
  'text, tables and pages are read in their encodings': texts,
  'files of other kinds are refused with the reason': refused,
};

/** Hostile documents. */
export const attacks: Readonly<Record<string, readonly DocumentCase[]>> = {
  'no document reads a file, sends a request or runs anything': reaching,
  'no small document takes more time or memory than the limits': exhausting,
  'no document passes for another kind, or hides text from people or programs': disguised,
};
