import fc from 'fast-check';
import t from 'tap';
import { isFailure } from '../../../../kernel/contract/failure.js';
import { MultipartParser } from '../../../../kernel/http/multipart/parser.js';

interface Part {
  name: string;
  filename: string | undefined;
  body: string;
}

/** Pushes a body piece by piece, each cut off after so many bytes; the last has the rest. */
function parse(body: Buffer, cuts: readonly number[], boundary = 'b'): Part[] {
  const parts: (Omit<Part, 'body'> & { pieces: Buffer[]; ended: boolean })[] = [];
  const parser = new MultipartParser(boundary, {
    part: (head) => parts.push({ ...head, pieces: [], ended: false }),
    bytes: (piece) => parts.at(-1)?.pieces.push(Buffer.from(piece)),
    end: () => {
      const last = parts.at(-1);
      if (last) last.ended = true;
    },
  });
  let at = 0;
  for (const cut of cuts) {
    parser.push(body.subarray(at, at + cut));
    at += cut;
  }
  parser.push(body.subarray(at));
  parser.finish();
  if (parts.some(({ ended }) => !ended)) throw new Error('A part did not end');
  return parts.map(({ name, filename, pieces }) => ({ name, filename, body: Buffer.concat(pieces).toString('latin1') }));
}

const written = (parts: readonly Part[], boundary = 'b'): Buffer =>
  Buffer.from(
    `${parts
      .map(({ name, filename, body }) => {
        const file = filename === undefined ? '' : `; filename="${filename}"`;
        return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${body}\r\n`;
      })
      .join('')}--${boundary}--\r\n`,
    'latin1',
  );

t.test('however it is cut on the way, the same parts come out', (t) => {
  // Much that looks like the beginning of a boundary, and bytes of every kind.
  const piece = fc.oneof(fc.constantFrom('\r', '\n', '\r\n', '--', '\r\n--', '\r\n-', '\r\n--a', 'b', 'x', '\0'), fc.string());
  const body = fc.array(piece, { maxLength: 30 }).map((all) => all.join('').replace(/[^\0-\xff]/g, '?'));
  const part = fc.record({
    name: fc.constantFrom('a', 'file', 'a b', 'ü'.normalize()),
    filename: fc.constantFrom(undefined, '', 'a.zip', 'C:\\a.zip', 'a;b=c.zip'),
    body: body.filter((text) => !`\r\n${text}`.includes('\r\n--b')),
  });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 4 }), fc.array(fc.nat(40), { maxLength: 60 }), (parts, cuts) => {
      // A head is UTF-8, what stands in it here is Latin-1: names are plain.
      const plain = parts.map((one) => ({ ...one, name: one.name === 'ü' ? 'u' : one.name }));
      t.same(parse(written(plain), cuts), plain);
    }),
    { numRuns: 300 },
  );
  t.end();
});

t.test('a part goes on as it comes, and what follows a boundary is never taken for it', (t) => {
  let seen = '';
  const parser = new MultipartParser('bound', {
    part: () => undefined,
    bytes: (piece) => (seen += piece.toString()),
    end: () => (seen += '|'),
  });
  parser.push(Buffer.from('--bound\r\nContent-Disposition: form-data; name="a"\r\n\r\none'));
  t.equal(seen, 'one');
  parser.push(Buffer.from('two\r\n--bou'));
  t.equal(seen, 'onetwo', 'what may be a boundary waits');
  parser.push(Buffer.from('t\r'));
  t.equal(seen, 'onetwo\r\n--bout');
  parser.push(Buffer.from('\n--bound--'));
  parser.finish();
  t.equal(seen, 'onetwo\r\n--bout|');
  t.end();
});

const head = 'Content-Disposition: form-data; name="a"';
const bodies: Readonly<Record<string, [string, Part[]]>> = {
  'what stands before the first boundary': [`hello\r\n--b\r\n${head}\r\n\r\n1\r\n--b--`, [{ name: 'a', filename: undefined, body: '1' }]],
  'white space behind a boundary': [`--b \t\r\n${head}\r\n\r\n1\r\n--b-- \r\nbye`, [{ name: 'a', filename: undefined, body: '1' }]],
  'an empty part': [`--b\r\n${head}\r\n\r\n\r\n--b--`, [{ name: 'a', filename: undefined, body: '' }]],
  'a head in small letters that goes on in the next line': [
    `--b\r\ncontent-type: text/plain\r\ncontent-disposition: form-data;\r\n  name=a; filename=x.txt\r\n\r\n1\r\n--b--`,
    [{ name: 'a', filename: 'x.txt', body: '1' }],
  ],
  'an extended name of a file, which wins': [
    `--b\r\n${head}; filename="x"; filename*=UTF-8''%e2%82%ac.txt\r\n\r\n1\r\n--b--`,
    [{ name: 'a', filename: '€.txt', body: '1' }],
  ],
};

for (const [what, [body, parts]] of Object.entries(bodies)) {
  t.test(`it understands ${what}`, async (t) => {
    t.same(parse(Buffer.from(body), []), parts);
  });
}

const broken: Readonly<Record<string, string>> = {
  'no boundary': 'nonsense',
  'no end': `--b\r\n${head}\r\n\r\n1`,
  'an end that is cut off': `--b\r\n${head}\r\n\r\n1\r\n--b-`,
  'something behind a boundary': `--b\r\n${head}\r\n\r\n1\r\n--bx\r\n`,
  'a line behind a boundary that does not end': `--b${' '.repeat(2_000)}`,
  'a head that does not end': `--b\r\n${head}\r\nx: ${'x'.repeat(20_000)}`,
  'a head of nothing': '--b\r\n\r\n\r\n1\r\n--b--',
  'a head without a name': '--b\r\nContent-Disposition: form-data\r\n\r\n1\r\n--b--',
  'two names': `--b\r\n${head}; name="b"\r\n\r\n1\r\n--b--`,
  'the name of a prototype': '--b\r\nContent-Disposition: form-data; name="__proto__"\r\n\r\n1\r\n--b--',
  'another disposition': '--b\r\nContent-Disposition: attachment; name="a"\r\n\r\n1\r\n--b--',
  'a header without a name': `--b\r\n${head}\r\nnonsense\r\n\r\n1\r\n--b--`,
  'an encoding': `--b\r\n${head}\r\nContent-Transfer-Encoding: base64\r\n\r\nMQ==\r\n--b--`,
  'a name that is not encoded as it says': `--b\r\n${head}; filename*=UTF-8''%e2%82\r\n\r\n1\r\n--b--`,
  'too many parts': `${`--b\r\n${head}\r\n\r\n1\r\n`.repeat(51)}--b--`,
};

for (const [what, body] of Object.entries(broken)) {
  t.test(`a body with ${what} is malformed, however it is cut`, async (t) => {
    for (const cuts of [[], [1, 1, 1, 1, 1, 1, 1], new Array<number>(Math.min(body.length, 200)).fill(1)]) {
      t.throws(() => parse(Buffer.from(body), cuts), { code: 'malformed_request' });
    }
  });
}

t.test('nothing that is sent has it fail with anything else, or hold more than a head', async (t) => {
  const token = fc.constantFrom('--b', '\r\n', '--', head, '; filename=x', ': ', ' ', '=', '"', ';', "UTF-8''%", 'x', '\r', '\n', '--b--');
  fc.assert(
    fc.property(fc.array(token, { maxLength: 40 }), fc.array(fc.nat(10), { maxLength: 30 }), (tokens, cuts) => {
      const body = Buffer.from(tokens.join(''));
      const outcome = (pieces: readonly number[]) => {
        try {
          return parse(body, pieces);
        } catch (fault) {
          if (!isFailure(fault)) throw fault;
          return fault.code;
        }
      };
      t.same(outcome(cuts), outcome([]), tokens.join(''));
    }),
    { numRuns: 1_000 },
  );
});
