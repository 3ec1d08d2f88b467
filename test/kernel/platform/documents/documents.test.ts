import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { DocumentText } from '../../../../kernel/contract/documents.js';
import { isFailure } from '../../../../kernel/contract/failure.js';
import { neededWalls, wallNames } from '../../../../kernel/platform/sandbox/walls/wall.js';
import { skipWithout } from '../../../helpers/parts.js';
import { callerOf, startPlatform } from '../../../helpers/platform.js';
import { pluginFolder } from '../sandbox/world.js';
import { listen } from './listener.js';
import { docx, links, paragraph, pdf, pptx, shape, shows, xlsx } from './made.js';
import { open, unnamed } from './opened.js';

const skip = skipWithout('namespaces');
const codeOf = (fault: unknown) => (isFailure(fault) ? { code: fault.code, message: fault.message } : fault);

t.test('documents of all kinds are read behind all walls', { skip }, async (t) => {
  const { documents } = await open(t, { trusted: [] });
  const row = '<row><c t="str"><v>workbook</v></c></row>';
  const cases: Readonly<Record<string, Buffer>> = {
    'a.pdf': pdf({ pages: [shows('portable')] }),
    'b.pdf': pdf({ pages: ['BT /F 12 Tf 72 720 Td <4F60597D> Tj ET'], font: 'chinese' }),
    'a.docx': await docx(paragraph('letter')),
    'a.xlsx': await xlsx({ sheets: [{ name: 'Sheet', rows: row }] }),
    'a.pptx': await pptx([{ shapes: shape('title', 'slides') }]),
    'a.html': Buffer.from('<p>hypertext'),
    'a.md': Buffer.from('# Mark\n\ndown'),
    'a.csv': Buffer.from('comma,separated'),
  };
  const texts = await Promise.all(
    Object.entries(cases).map(async ([name, bytes]) => [name, await documents.read(bytes, { ...unnamed, name })] as const),
  );
  t.same(
    texts.map(([name, answer]) => [name, (answer as DocumentText).pages]),
    [
      ['a.pdf', ['portable']],
      ['b.pdf', ['你好']],
      ['a.docx', ['letter']],
      ['a.xlsx', ['Sheet\nworkbook']],
      ['a.pptx', ['slides']],
      ['a.html', ['hypertext']],
      ['a.md', ['# Mark\n\ndown']],
      ['a.csv', ['comma,separated']],
    ],
  );
});

t.test('a document of 1,000 pages is read whole', async (t) => {
  const { documents } = await open(t);
  const bytes = pdf({ pages: Array.from({ length: 1_000 }, (_, index) => shows(`This is page ${index + 1}`)) });
  const { pages } = (await documents.read(bytes, unnamed)) as DocumentText;
  t.equal(pages.length, 1_000);
  t.equal(pages[699], 'This is page 700');
});

t.test('reading ends where a caller needs no more of the text', async (t) => {
  const { documents } = await open(t);
  const pages = Array.from({ length: 50 }, (_, index) => shows(`This is page ${index + 1}`));
  const text = { pages: ['This is page 1', 'This is pa'], outline: [], is_cut: true };
  t.same(await documents.read(pdf({ pages }), { ...unnamed, max_characters: 24 }), text);
});

t.test('what can not be read is answered with a sentence', async (t) => {
  const { documents } = await open(t);
  const answer = await documents.read(pdf({ pages: [shows('x')], encrypted: true }), unnamed);
  t.same(answer, { reason: 'The document is encrypted: remove its password first' });
  t.match(await documents.read(Buffer.from('%PDF-1.7'), unnamed), { reason: /^The document is damaged/ });
});

t.test('a document that takes too long is given up', async (t) => {
  const { documents } = await open(t, { limit_ms: 1 });
  const late = { reason: 'The document could not be read within 60 s: split it into smaller ones', is_late: true };
  t.same(await documents.read(Buffer.from('text'), unnamed), late);
});

t.test('without a needed wall documents are refused, unless an administrator takes the risk', async (t) => {
  const walls = wallNames.filter((wall) => !neededWalls.includes(wall));
  const refusing = await open(t, { walls, trusted: [] });
  t.match(await refusing.documents.read(Buffer.from('text'), unnamed).catch(codeOf), {
    code: 'documents_not_contained',
    message: /^Documents can't be read because walls .* do not hold here: user \(.*PLATFORM_PLUGINS_TRUSTED=kernel\.documents/,
  });
  const trusting = await open(t, { walls });
  t.match(await trusting.documents.read(Buffer.from('text'), unnamed), { pages: ['text'] });
});

t.test('no request leaves for what documents refer to', async (t) => {
  const { documents } = await open(t);
  const { url, connections } = await listen(t);
  const drawing = '<w:p><w:r><w:drawing><a:blip r:link="r1"/></w:drawing></w:r></w:p>';
  const all = [
    await docx(paragraph('text') + drawing, {
      'word/_rels/document.xml.rels': links(
        { type: 'image', target: url, external: true },
        { type: 'attachedTemplate', target: url, external: true },
      ),
    }),
    Buffer.from(
      `<html><head><base href="${url}"><link rel=stylesheet href="a.css"><script src="${url}"></script><body>text<img src="${url}">`,
    ),
    Buffer.from(`<?xml version="1.0"?><!DOCTYPE html SYSTEM "${url}"><html><body>text<iframe src="${url}">`),
    Buffer.from(`# Text\n![image](${url})`),
    pdf({ pages: [shows('text')], catalog: `/OpenAction<</S/URI/URI(${url})>>/AcroForm<</XFA(${url})>>` }),
    await xlsx({ sheets: [{ name: 'S', rows: `<row><c t="str"><f>WEBSERVICE("${url}")</f><v>text</v></c></row>` }] }),
  ];
  for (const bytes of all) t.match(await documents.read(bytes, { ...unnamed, name: 'a.md' }), { pages: [/text/i] });
  t.equal(connections(), 0);
});

t.test('two documents are read at a time, and more than 32 waiting ones are refused', async (t) => {
  const { documents } = await open(t);
  const abort = new AbortController();
  const read = () => documents.read(Buffer.from('text'), { ...unnamed, signal: abort.signal }).then(() => 'read', codeOf);
  const first = Array.from({ length: 34 }, read);
  t.match(await read(), { code: 'server_busy' });
  const reason = new Error('nobody waits for it');
  abort.abort(reason);
  t.same(new Set(await Promise.all(first)), new Set([reason]));
  t.match(await documents.read(Buffer.from('text'), unnamed), { pages: ['text'] }, 'others are read then');
});

t.test('nothing of a document stays, whether it was read or the platform has shut down', async (t) => {
  const spools = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`platform-plugin-${process.pid}-`));
  const { documents, data_dir } = await open(t);
  await documents.read(Buffer.from('text'), unnamed);
  t.same(spools(), []);
  const running = documents.read(pdf({ pages: [shows('text')] }), unnamed).catch(codeOf);
  await documents.dispose();
  t.match(await running, { code: 'shutting_down' });
  t.same(spools(), []);
  const own = join(data_dir, 'files', 'kernel.documents');
  t.same(existsSync(own) ? readdirSync(own) : [], []);
  t.match(await documents.read(Buffer.from('text'), unnamed).catch(codeOf), { code: 'shutting_down' });
});

t.test('an extension reads documents by its context', async (t) => {
  const folder = await pluginFolder(
    t,
    `ctx.expose({ 'x.read': op('read') }, {
      'x.read': ({ text }) => ctx.documents.read(Buffer.from(text), { name: 'a.md', mime_type: 'text/markdown' }),
    });`,
  );
  const { kernel } = await startPlatform(t, { extensions: [folder], settings: { 'plugins.trusted': ['kernel.documents'] } });
  const { body } = await kernel.invoke('x.read', { text: '# Title' }, callerOf());
  t.same(body, { pages: ['# Title'], outline: [{ title: 'Title', page: 1 }], is_cut: false });
});
