import t from 'tap';
import { bytesOf, cut, jsonBytesOf, type Limit, textOf } from '../../../../extensions/notifications/channels/text.js';
import { note } from './world.js';

const characters = (max: number): Limit => ({ max, size: (text) => text.length });
const bytes = (max: number): Limit => ({ max, size: bytesOf });

t.test('a note has its title, summary and link on separate lines', async (t) => {
  t.equal(textOf(note, characters(4_000)), `${note.title}\n${note.summary}\n${note.url}`);
  t.equal(textOf({ ...note, url: null, summary: '' }, characters(4_000)), note.title);
});

t.test('truncates a text with … to the limit of characters and bytes', async (t) => {
  t.equal(cut('abcdef', characters(6)), 'abcdef');
  t.equal(cut('abcdef', characters(5)), 'abcd…');
  t.equal(cut('日本語です', bytes(15)), '日本語です');
  t.equal(cut('日本語です', bytes(14)), '日本語…');
  t.equal(bytesOf(cut('日本語です', bytes(12))), 12);
});

t.test('truncation splits no character, however many code points it has', async (t) => {
  t.equal(cut('ab👩‍👩‍👧‍👦c', characters(12)), 'ab…');
  t.equal(cut('ae\u0301bc', characters(3)), 'a…');
  t.equal(cut('ae\u0301bc', characters(4)), 'ae\u0301…');
  t.equal(cut('🇫🇷🇩🇪', bytes(15)), '🇫🇷…');
});

t.test('a text is empty if there is no room for it', async (t) => {
  t.equal(cut('abc', characters(0)), '');
  t.equal(cut('abc', bytes(2)), '');
  t.equal(cut('abc', characters(1)), '…');
});

t.test('the link is kept complete unless it needs half of the limit', async (t) => {
  const long = textOf({ ...note, summary: 'x'.repeat(4_000) }, characters(1_000));
  t.equal(long.length, 1_000);
  t.ok(long.endsWith(`x…\n${note.url}`));
  const url = `https://work.example/${'y'.repeat(600)}`;
  t.equal(textOf({ ...note, summary: 'x'.repeat(4_000), url }, characters(1_000)), `${note.title}\n${'x'.repeat(999 - 26)}…`);
});

t.test('control characters and lone surrogates are removed, and a title is one line', async (t) => {
  const text = textOf({ ...note, title: 'a\r\nb\u0000c', summary: '\u001b[1md\r\ne\tf\ud800\n', url: null }, characters(4_000));
  t.equal(text, 'a b c\n[1md\ne\tf\ufffd');
});

t.test('the size within JSON is that of the escaped text', async (t) => {
  t.equal(jsonBytesOf('a"\n日'), 8);
});
