import type { Command } from 'commander';
import { restoreBackup } from '../kernel/data/backup/restore.js';
import type { Context } from './command.js';
import { Progress, showing } from './progress.js';
import { type CommonFlags, configOf } from './session.js';

/** Puts a backup into the empty installation that the settings name, and tells what is still needed. */
export async function restore(file: string, command: Command, { terminal }: Context): Promise<void> {
  const { data_dir, database_url, secret_key } = await configOf(command.optsWithGlobals<CommonFlags>(), terminal);
  const { created_at, tables } = await showing(new Progress(terminal, 'checking and restoring'), () =>
    restoreBackup(file, { data_dir, database_url }),
  );
  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
  terminal.stdout.write(`Restored the backup of ${created_at}: ${rows} rows in ${Object.keys(tables).length} tables.\n`);
  const key =
    secret_key === ''
      ? `Put the secret.key of that installation into ${data_dir}, then`
      : 'With the PLATFORM_SECRET_KEY of that installation';
  terminal.stderr.write(`${key} start it: platform serve\n`);
}
