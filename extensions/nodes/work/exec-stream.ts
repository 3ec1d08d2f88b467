import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { type Frame, framesOf } from './frames.js';
import type { NodeContainer } from './node-container.js';

/** Request to an engine's exec API. */
export interface ExecRequest {
  argv: readonly string[];
  /** Name or number in the container; the image's own if omitted. */
  user?: string | undefined;
  env?: readonly string[];
  /** Working folder; the image's own if omitted. */
  folder?: string | undefined;
  /** Input written first. The command should know its length: not every connection to an engine can signal its end. */
  stdin?: Buffer | undefined;
}

/** Delays before each check of the exit code, in ms; 5 s in total. The engine knows it a moment after the end of the stream. */
const looks = [0, ...new Array<number>(40).fill(25), ...new Array<number>(16).fill(250)];

/** Running command: its output and its exit code. */
export class ExecStream {
  readonly #exec: Docker.Exec;
  readonly #stream: Duplex;

  private constructor(exec: Docker.Exec, stream: Duplex) {
    this.#exec = exec;
    this.#stream = stream;
  }

  /** Starts a command. Throws the errors of the engine's client. */
  static async start(
    { container }: Pick<NodeContainer, 'container'>,
    { argv, user, env = [], folder, stdin }: ExecRequest,
  ): Promise<ExecStream> {
    const exec = await container.exec({
      Cmd: [...argv],
      Env: [...env],
      AttachStdout: true,
      AttachStderr: true,
      AttachStdin: stdin !== undefined,
      ...(user === undefined ? {} : { User: user }),
      ...(folder === undefined ? {} : { WorkingDir: folder }),
    });
    const stream = await exec.start({ hijack: true, stdin: stdin !== undefined });
    // Readers get the error too; without a listener it would end the process.
    stream.on('error', () => undefined);
    if (stdin !== undefined) stream.write(stdin);
    return new ExecStream(exec, stream);
  }

  frames(): AsyncGenerator<Frame> {
    return framesOf(this.#stream);
  }

  /** Closes the stream. */
  destroy(): void {
    this.#stream.destroy();
  }

  /** Returns the exit code after the end of the stream; null if the engine doesn't know it, undefined if the command still runs. */
  async exitCode(): Promise<number | null | undefined> {
    for (const wait_ms of looks) {
      await sleep(wait_ms);
      const { Running, ExitCode } = await this.#exec.inspect();
      if (!Running) return ExitCode;
    }
    return undefined;
  }
}
