/**
 * Before each program of a benchmark, ours and the limit's: V8 is set as the server sets it, and the program ends in its own way where the
 * one that started it has ended, or failed before it could end this one.
 */
import { avoidCompilerCrash } from '../../kernel/platform/process/v8-flags.js';

avoidCompilerCrash();
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
