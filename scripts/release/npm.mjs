import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs npm in a folder without the network and without anybody's scripts; returns its standard output. */
export async function npm(folder, ...args) {
  const program = process.env.npm_execpath;
  const [file, first] = program ? [process.execPath, [program]] : ['npm', []];
  const options = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier'];
  const { stdout } = await promisify(execFile)(file, [...first, ...args, ...options], {
    cwd: folder,
    maxBuffer: 2 ** 26,
    timeout: 120_000,
  });
  return stdout;
}
