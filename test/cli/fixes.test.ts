import t from 'tap';
import { report } from '../../cli/exit.js';
import { fixOf } from '../../cli/fixes.js';
import type { Terminal } from '../../cli/terminal.js';
import { Failure } from '../../kernel/contract/index.js';

t.test('a full disk and a limit are reported with a remedy', async (t) => {
  t.match(fixOf('disk_full'), /platform doctor/);
  t.match(fixOf('rate_limited'), /try again after the time that the message names/);
  t.match(fixOf('extension_failed', 'acme.hooks'), /plugins\.enable --json '\{"name":"acme\.hooks"\}'/);
  t.equal(fixOf('extension_failed'), undefined, 'a hint needs the name of the extension');
  t.equal(fixOf('toString'), undefined, 'an unknown code has no hint');
});

/** Returns what a command writes when it fails with that. */
function reported(thrown: unknown): string {
  let text = '';
  report(thrown, { env: {}, stderr: { write: (piece: string) => (text += piece) } } as unknown as Terminal, { debug: false });
  return text;
}

t.test("an internal error of a server hints at the server's log, one of this process at --debug", async (t) => {
  const failure = (cause?: unknown) => new Failure('internal_error', 'Internal error', { status: 500, cause });
  const answered = reported(failure({ request_id: 'r-7' }));
  t.match(answered, /^platform: Internal error \(internal_error, request r-7\)\nhint: .*server's log.*: platform tail --topics log\n$/);
  t.notMatch(answered, /--debug/);
  for (const own of [failure(), new Error('no')]) t.match(reported(own), /\nhint: run it again with --debug/);
});

t.test('permissions that nobody has accepted come with the flag that accepts them', async (t) => {
  const failure = new Failure('permissions_not_accepted', 'It needs more', { status: 409 });
  t.match(reported(failure), /\nhint: .*with: --accept-permissions\n$/);
});
