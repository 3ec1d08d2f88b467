#!/usr/bin/env node
import { Command } from 'commander';

// Whatever else a command needs is loaded when it runs: `--help` must not wait for a database driver.
const { run } = await import('./program.js');
const { env, stdin, stdout, stderr } = process;
process.exitCode = await run(new Command('platform'), process.argv.slice(2), { env, stdin, stdout, stderr });
