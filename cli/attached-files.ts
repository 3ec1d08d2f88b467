import type { Command } from 'commander';
import { assertSize, checkLocalFile, type LocalFile, readLocalFile } from '../kernel/client/local-file.js';
import { uploadFile } from '../kernel/client/upload-file.js';
import type { JsonSchema } from '../kernel/contract/schema.js';
import type { Context } from './command.js';
import { UsageError } from './exit.js';
import { dashed, type Leaf } from './flags.js';
import { Progress, withProgress } from './progress.js';
import type { Session } from './session.js';
import { callIn } from './within-session.js';

type Input = Record<string, unknown>;

/** The files that a command line names. */
interface AttachedFiles {
  /** The input from the command line. The text that files may replace is set. */
  input: Input;
  /** Uploads the files; returns the part of the input that names them. */
  upload(session: Session, context: Context): Promise<Input>;
}

/** Checks the files of a command's flag before anything else is done, so that nothing is uploaded if one can't be sent. */
export async function attachedFiles(leaf: Leaf, command: Command, input: Input): Promise<AttachedFiles> {
  const flag = leaf.hint?.attachments;
  const { upload } = leaf;
  if (flag === undefined || upload === undefined) return { input, upload: async () => ({}) };
  const paths = command.getOptionValue(flag.flag) as readonly string[] | undefined;
  if (paths === undefined) {
    if (input[flag.instead_of] === undefined)
      throw new UsageError(`missing required argument '${flag.instead_of}'`, 'add --help to see the usage');
    return { input, upload: async () => ({}) };
  }
  const ids = [input[flag.key] ?? []].flat();
  assertCount(leaf, ids.length + paths.length);
  const max_bytes = limitOf(upload);
  for (const path of paths.filter((one) => one !== '-')) await checkLocalFile(path, max_bytes);
  return {
    input: { [flag.instead_of]: '', ...input },
    async upload(session, context) {
      const read = async (path: string) => (path === '-' ? readPiped(max_bytes, context) : readLocalFile(path, max_bytes));
      const send = (file: LocalFile) => callUpload(upload, file, { session, context });
      const uploaded: string[] = [];
      for (const path of paths) uploaded.push((await uploadFile(await read(path), send)).id);
      return { [flag.key]: [...ids, ...uploaded] };
    },
  };
}

/** Fails if the input takes fewer files. */
function assertCount({ operation, hint }: Leaf, count: number): void {
  const { flag = '', key = '' } = hint?.attachments ?? {};
  const max = (operation.input as JsonSchema).properties?.[key]?.maxItems ?? Number.POSITIVE_INFINITY;
  if (count > max) throw new UsageError(`At most ${max} files can be sent at once, not ${count}`, `leave out some --${dashed(flag)}`);
}

/** Returns the limit of an upload, which includes the form around the file. The server checks the file's own limit. */
function limitOf({ operation }: Leaf): number {
  return operation.max_bytes ?? Number.MAX_SAFE_INTEGER;
}

async function readPiped(max_bytes: number, { terminal }: Context): Promise<LocalFile> {
  const { readInputFile } = await import('./file-source.js');
  const bytes = await readInputFile('-', { terminal, max_bytes, hint: 'name a file to send' });
  assertSize('-', bytes.length, max_bytes);
  return { name: 'stdin', bytes };
}

async function callUpload(upload: Leaf, file: LocalFile, { session, context }: { session: Session; context: Context }) {
  const { terminal, signal } = context;
  const { body } = await withProgress(new Progress(terminal, `Uploading ${file.name}`), ({ listening }) =>
    callIn(session, upload, { input: { file }, signal, ...listening }),
  );
  return body as { id: string };
}
