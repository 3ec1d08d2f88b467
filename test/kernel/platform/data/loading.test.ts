import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { eachDatabase } from '../../../helpers/databases.js';

const opener = fileURLToPath(new URL('../../../fixtures/data-opener.js', import.meta.url));
const heavy = ['sequelize', 'umzug', 'moment-timezone'];

t.test('a start on an existing database loads only its own driver, and neither models nor migrations', (t) =>
  eachDatabase(t, async (t, data, { url, data_dir }) => {
    if (data.dialect === 'sqlite') await data.close();
    const { stdout } = await promisify(execFile)(process.execPath, [opener, url, data_dir]);
    const packages = JSON.parse(stdout) as string[];
    const [mine, other] = data.dialect === 'sqlite' ? ['sqlite3', 'pg'] : ['pg', 'sqlite3'];
    t.ok(packages.includes(mine), `${mine} is loaded`);
    t.strictSame(
      packages.filter((name) => [other, ...heavy].includes(name)),
      [],
    );
  }),
);
