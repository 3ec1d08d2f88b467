import t from 'tap';
import { fixOf } from '../../cli/fixes.js';

t.test('a full disk and a limit are reported with a remedy', async (t) => {
  t.match(fixOf('disk_full'), /platform doctor/);
  t.match(fixOf('rate_limited'), /try again after the time that the message names/);
  t.match(fixOf('extension_failed', 'acme.hooks'), /plugins\.enable --json '\{"name":"acme\.hooks"\}'/);
  t.equal(fixOf('extension_failed'), undefined, 'a command needs the name of the extension');
  t.equal(fixOf('toString'), undefined, 'what is no code has none');
});
