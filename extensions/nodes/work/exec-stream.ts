import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { type Frame, framesOf } from './frames.js';
import type { Place } from './place.js';

/** One question to an engine's exec API. */
export interface ExecRequest {
  argv: readonly string[];
  /** A name or number in the container; left out: the image's own. */
  user?: string | undefined;
  env?: readonly string[];
  /** Where it runs; left out: where the image says. */
  folder?: string | undefined;
  /** What it reads first. It should know how much that is: not every way to an engine tells an end. */
  stdin?: Buffer | undefined;
}

/** The engine knows a moment later than the stream's end how it went: before each look, in ms. 5 s together. */
const looks = [0, ...new Array<number>(40).fill(25), ...new Array<number>(16).fill(250)];

/** A command under way: what it writes, and how it ended. */
export class ExecStream {
  readonly #exec: Docker.Exec;
  readonly #stream: Duplex;

  private constructor(exec: Docker.Exec, stream: Duplex) {
    this.#exec = exec;
    this.#stream = stream;
  }

  /** Throws what the engine's client throws. */
  static async start({ container }: Pick<Place, 'container'>, { argv, user, env = [], folder, stdin }: ExecRequest): Promise<ExecStream> {
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
    // Its fault comes to whoever reads, too; without a listener it would end the process.
    stream.on('error', () => undefined);
    if (stdin !== undefined) stream.write(stdin);
    return new ExecStream(exec, stream);
  }

  frames(): AsyncGenerator<Frame> {
    return framesOf(this.#stream);
  }

  /** Nobody reads any more. */
  destroy(): void {
    this.#stream.destroy();
  }

  /** After the stream's end: how the command ended, null where the engine doesn't know, undefined where it still runs. */
  async exitCode(): Promise<number | null | undefined> {
    for (const wait_ms of looks) {
      await sleep(wait_ms);
      const { Running, ExitCode } = await this.#exec.inspect();
      if (!Running) return ExitCode;
    }
    return undefined;
  }
}
