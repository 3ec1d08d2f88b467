import type { Command } from 'commander';
import { shellWord } from '../kernel/contract/shell-word.js';
import { restoreBackup } from '../kernel/platform/backup/restore.js';
import { withArchive } from './archive-source.js';
import type { Context } from './command.js';
import { Progress, withProgress } from './progress.js';
import { remark, remarkCommand } from './remark.js';
import { type CommonFlags, configOf } from './session.js';
import type { Terminal } from './terminal.js';

/** Restores a backup into the empty installation that the settings name, and says what else is needed. */
export async function restore(file: string, command: Command, { terminal, signal }: Context): Promise<void> {
  const flags = command.optsWithGlobals<CommonFlags>();
  const { data_dir, database_url, min_free_bytes, secret_key } = await configOf(flags, terminal);
  const { created_at, tables } = await withProgress(new Progress(terminal, 'checking and restoring'), () =>
    withArchive({ path: file, data_dir, terminal, signal }, (archive) =>
      restoreBackup(archive, { data_dir, database_url, min_free_bytes }),
    ),
  );
  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
  terminal.stdout.write(`Restored the backup of ${created_at}: ${rows} rows in ${Object.keys(tables).length} tables.\n`);
  const key =
    secret_key === ''
      ? `Put the secret.key of that installation into ${data_dir}, then`
      : 'With the PLATFORM_SECRET_KEY of that installation';
  remarkCommand(`${key} start it: ${serveLine(flags, terminal)}`, terminal);
  if (!database_url.startsWith('sqlite:')) remark('Start it with the same PLATFORM_DATABASE_URL as this restore.', terminal);
}

/** Returns the command that starts the restored installation: it names the same folder, also if a variable named it. */
function serveLine({ dataDir, config }: CommonFlags, { env }: Terminal): string {
  const [folder, file] = [dataDir ?? env.PLATFORM_DATA_DIR, config ?? env.PLATFORM_CONFIG];
  const flags = [...(folder ? ['--data-dir', shellWord(folder)] : []), ...(file ? ['--config', shellWord(file)] : [])];
  return ['platform serve', ...flags].join(' ');
}
