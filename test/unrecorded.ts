import processes, { type SpawnOptions } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';

// Loaded into tap's runner by `test/run.ts`, where no coverage is counted. tap has each test file load its recorder also
// then, which has a thread that sees each module: that costs each of them time, and serves nobody.
const spawn = processes.spawn;
const isRecorder = (argument: string) => argument.startsWith('--import=') && argument.includes('/@tapjs/processinfo/');
const unrecorded = (program: string, given: readonly string[], options: SpawnOptions) =>
  spawn(
    program,
    given.filter((argument) => !isRecorder(argument)),
    options,
  );
Object.assign(processes, { spawn: unrecorded });
syncBuiltinESMExports();
