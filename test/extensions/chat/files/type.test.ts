import t from 'tap';
import { fileTypeOf, isShown } from '../../../../extensions/chat/files/type.js';
import { gif, jpeg, png, webp } from '../pictures.js';

/** The first box of an ISO base media file with these brands. */
function media(...brands: string[]): Buffer {
  const box = Buffer.from(`\0\0\0\0ftyp${brands[0]}\0\0\0\0${brands.slice(1).join('')}`, 'latin1');
  box.writeUInt32BE(box.length, 0);
  return Buffer.concat([box, Buffer.from('\0\0\0\x10meta avif', 'latin1')]);
}

t.test('the bytes alone decide which images browsers show', async (t) => {
  const shown: readonly (readonly [string, Buffer])[] = [
    ['image/png', png()],
    ['image/jpeg', jpeg()],
    ['image/gif', gif()],
    ['image/webp', webp('VP8L')],
    ['image/avif', media('avif', 'mif1')],
    ['image/avif', media('mif1', 'miaf', 'avif')],
  ];
  for (const [type, bytes] of shown) {
    t.equal(fileTypeOf(bytes, 'page.html'), type);
    t.ok(isShown(type));
  }
  const others: readonly (readonly [string, Buffer])[] = [
    ['a bomb', png(60_000, 60_000)],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['a page', Buffer.from('<script>alert(1)</script>')],
    ['a film', media('isom', 'mp42')],
    ['a cut one', media('avif').subarray(0, 12)],
    ['nothing', Buffer.alloc(0)],
  ];
  for (const [what, bytes] of others) t.equal(fileTypeOf(bytes, 'picture.png'), 'application/octet-stream', what);
});

t.test('the ending of a name gives a hint of other types', async (t) => {
  const type = (name: string) => fileTypeOf(Buffer.from('text'), name);
  t.equal(type('Report.PDF'), 'application/pdf');
  t.equal(type('table.xlsx'), 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet');
  t.equal(type('page.html'), 'text/html');
  t.equal(type('constructor'), 'application/octet-stream');
  for (const name of ['page.html', 'drawing.svg', 'text.txt', 'Report.PDF']) t.notOk(isShown(type(name)), name);
});
