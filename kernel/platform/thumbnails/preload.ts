/**
 * Runs first in the process that makes a thumbnail and in its threads. Emscripten's file system, with which libvips is built, reads the
 * system's constants by `process.binding`, which Node's permissions forbid. libvips works in threads of its own; since Node 22 each
 * reserves memory for compiled code that together passes the process's limit, though these threads compile little.
 */
import fs from 'node:fs';
import os from 'node:os';
import threads, { type WorkerOptions } from 'node:worker_threads';
import { code_range_mb } from './limits.js';

Object.assign(process, { binding: () => ({ fs: fs.constants, os: os.constants }) });

class SmallWorker extends threads.Worker {
  constructor(file: string | URL, options: WorkerOptions = {}) {
    super(file, { ...options, resourceLimits: { ...options.resourceLimits, codeRangeSizeMb: code_range_mb } });
  }
}
Object.assign(threads, { Worker: SmallWorker });
