/**
 * Runs first in the process that makes a thumbnail and in its threads. Emscripten's file system, with which libvips is built, reads the
 * system's constants by `process.binding`, which Node's permissions forbid.
 */
import fs from 'node:fs';
import os from 'node:os';

Object.assign(process, { binding: () => ({ fs: fs.constants, os: os.constants }) });
