import { shows } from '../made.js';
import { lockedPdf, type PdfLock } from '../made-encrypted.js';
import { deflated, onePage, type PdfObjects, pdfFile } from '../made-pdf.js';
import type { DocumentCase } from './case.js';

const text = shows('Text of a page');
const ciphers = ['rc4-40', 'rc4-128', 'aes-128', 'aes-256'] as const;
const locked = (cipher: PdfLock['cipher'], user: string) => lockedPdf(onePage(text), { cipher, user, owner: 'the owner' });
const form = (fields: readonly string[], objects: PdfObjects = {}) => {
  const annotations = fields.map((field) => `<</Type/Annot/Subtype/Widget/Rect[0 0 99 20]${field}>>`).join('');
  return pdfFile(onePage(shows('Form'), { page: `/Annots[${annotations}]`, catalog: '/AcroForm<</Fields[]>>', objects }));
};
const attached = (catalog: string, content: string) =>
  pdfFile(
    onePage(content, {
      catalog: `/Names<</EmbeddedFiles<</Names[(a.txt) 6 0 R]>>>>${catalog}`,
      objects: { 6: '<</Type/Filespec/F(a.txt)/EF<</F 7 0 R>>>>', 7: { data: 'Attached', entries: '/Type/EmbeddedFile' } },
    }),
  );
const xfa = (value: string) =>
  '<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"><template xmlns="http://www.xfa.org/schema/xfa-template/3.3/">' +
  '<subform name="form" layout="tb" locale="en_US"><pageSet><pageArea><contentArea w="8in" h="10in"/><medium stock="letter" short="8.5in" long="11in"/></pageArea></pageSet>' +
  '<subform name="body" layout="tb"><draw w="5in" h="1in"><value><text>Please fill in</text></value></draw>' +
  '<field name="person" w="5in" h="1in"><ui><textEdit/></ui><caption><value><text>Person</text></value></caption>' +
  `<value><text>${value}</text></value></field></subform></subform></template></xdp:xdp>`;

/** PDFs that are locked, filled in, or carry something else. */
export const pdfContent: readonly DocumentCase[] = [
  ...ciphers.map(
    (cipher): DocumentCase => ({
      name: `a PDF that is encrypted with ${cipher} and opens without a password`,
      source: 'ISO 32000-1, 7.6.3; ISO 32000-2, 7.6.4: a password of the owner alone',
      make: () => locked(cipher, ''),
      answer: 'Text of a page',
    }),
  ),
  ...ciphers.map(
    (cipher): DocumentCase => ({
      name: `a PDF that is encrypted with ${cipher} and a password`,
      source: 'ISO 32000-1, 7.6.3; ISO 32000-2, 7.6.4',
      make: () => locked(cipher, 'the user'),
      answer: 'refused: encrypted',
    }),
  ),
  {
    name: 'a PDF that is encrypted for certificates',
    source: 'ISO 32000-1, 7.6.4',
    make: () =>
      pdfFile(onePage(text), { trailer: '/Encrypt<</Filter/Adobe.PubSec/SubFilter/adbe.pkcs7.s4/V 2/Length 128/Recipients[<00>]>>' }),
    answer: 'refused: protected',
  },
  {
    name: 'a PDF that is encrypted by a program for rights',
    source: 'ISO 32000-1, 7.6.2: other security handlers',
    make: () => pdfFile(onePage(text), { trailer: '/Encrypt<</Filter/FOPN_fLock/V 1>>' }),
    answer: 'refused: protected',
  },
  {
    name: 'a PDF that is encrypted with a cipher of the future',
    source: 'ISO 32000-2, 7.6.2: /V',
    make: () => pdfFile(onePage(text), { trailer: '/Encrypt<</Filter/Standard/V 9/R 9/P -4/O<00>/U<00>>>' }),
    answer: 'refused: protected',
  },
  {
    name: 'a PDF form with text, a choice, boxes and a password',
    source: 'ISO 32000-1, 12.7.4',
    make: () =>
      form(
        [
          '/FT/Tx/T(Name)/V(Ada)',
          '/FT/Ch/T(Country)/Opt[(UK)(FR)]/V(UK)',
          '/FT/Btn/T(Agreed)/V/Yes/AS/Yes/AP<</N<</Yes 6 0 R/Off 6 0 R>>>>',
          '/FT/Btn/T(News)/V/Off/AS/Off/AP<</N<</Yes 6 0 R/Off 6 0 R>>>>',
          '/FT/Tx/T(Secret)/Ff 8192/V(hunter2)',
        ],
        { 6: { data: '', entries: '/Type/XObject/Subtype/Form/BBox[0 0 9 9]' } },
      ),
    answer: 'Form\nName: Ada\nCountry: UK\nAgreed: Yes',
  },
  {
    name: 'a PDF form in which two fields have one name',
    source: 'ISO 32000-1, 12.7.3.2',
    make: () => form(['/FT/Tx/T(Name)/V(Ada)', '/FT/Tx/T(Name)/V(Ada)']),
    answer: 'Form\nName: Ada',
  },
  {
    name: 'a PDF form with a value in Chinese',
    source: 'ISO 32000-1, 7.9.2.2: text strings in UTF-16BE',
    make: () => form(['/FT/Tx/T(Name)/V<FEFF4F60597D>']),
    answer: 'Form\nName: 你好',
  },
  {
    name: 'a PDF with remarks of readers',
    source: 'ISO 32000-1, 12.5.6',
    make: () =>
      pdfFile(
        onePage(text, {
          page: '/Annots[<</Type/Annot/Subtype/FreeText/Rect[0 0 9 9]/Contents(A box)/DA(/F 9 Tf)>><</Type/Annot/Subtype/Text/Rect[0 0 9 9]/Contents(Why?)>>]',
        }),
      ),
    answer: 'Text of a page\nA box\nComment: Why?',
  },
  {
    name: 'a PDF form of the kind XFA, with what was filled in',
    source: 'ISO 32000-1, 12.7.8',
    make: () =>
      pdfFile(
        onePage(shows('Please wait... your PDF viewer may not be able to display this'), {
          catalog: '/NeedsRendering true/AcroForm<</Fields[]/DR<</Font<<>>>>/XFA 6 0 R>>',
          objects: { 6: deflated(xfa('Ada')) },
        }),
      ),
    answer: /Please fill in.*Ada/s,
  },
  {
    name: 'a PDF form of the kind XFA that is broken',
    source: 'ISO 32000-1, 12.7.8',
    make: () =>
      pdfFile(
        onePage(text, { catalog: '/NeedsRendering true/AcroForm<</Fields[]/XFA 6 0 R>>', objects: { 6: { data: '<xdp:xdp><template' } } }),
      ),
    answer: 'Text of a page',
  },
  {
    name: 'a PDF with an attached file, which is not read',
    source: 'ISO 32000-1, 7.11.4',
    make: () => attached('', text),
    answer: 'Text of a page',
  },
  {
    name: 'a PDF that is a collection of other files',
    source: 'ISO 32000-1, 12.3.5',
    make: () => attached('/Collection<</Type/Collection/View/T>>', ''),
    answer: 'refused: portfolio',
  },
  {
    name: 'a PDF with layers, of which one is off',
    source: 'ISO 32000-1, 8.11',
    make: () =>
      pdfFile(
        onePage(`/OC /L BDC ${text} EMC`, {
          catalog: '/OCProperties<</OCGs[6 0 R]/D<</OFF[6 0 R]>>>>',
          resources: '/Properties<</L 6 0 R>>',
          objects: { 6: '<</Type/OCG/Name(Layer)>>' },
        }),
      ),
    answer: 'Text of a page',
  },
];
