import { Agent, request } from 'node:http';

/** The Docker Engine API by hand: three requests on connections that are kept. */
export class BareEngine {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #socketPath: string;

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** Runs a command in a container; gives what it wrote. */
  async exec(container: string, Cmd: readonly string[]): Promise<string> {
    const made = await this.#ask('POST', `/containers/${container}/exec`, { AttachStdout: true, AttachStderr: true, Cmd });
    const { Id } = JSON.parse(made.toString()) as { Id: string };
    const output = await this.#ask('POST', `/exec/${Id}/start`, { Detach: false, Tty: false });
    const { ExitCode } = JSON.parse((await this.#ask('GET', `/exec/${Id}/json`)).toString()) as { ExitCode: number };
    if (ExitCode !== 0) throw new Error(`The command ended with ${ExitCode}`);
    return textOf(output);
  }

  close(): void {
    this.#agent.destroy();
  }

  #ask(method: string, path: string, body?: object): Promise<Buffer> {
    const text = body && JSON.stringify(body);
    const headers = text ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) } : {};
    return new Promise((resolve, reject) => {
      const asked = request({ socketPath: this.#socketPath, agent: this.#agent, method, path, headers }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('error', reject);
        answer.on('end', () => {
          const whole = Buffer.concat(parts);
          if ((answer.statusCode ?? 0) < 300) resolve(whole);
          else reject(new Error(`${method} ${path}: ${answer.statusCode} ${whole.toString()}`));
        });
      });
      asked.on('error', reject);
      asked.end(text);
    });
  }
}

/** Output comes in frames of both streams: a byte for which, three of zero, four for the length. */
function textOf(frames: Buffer): string {
  let text = '';
  for (let at = 0; at < frames.length; at += 8 + frames.readUInt32BE(at + 4)) {
    text += frames.toString('utf8', at + 8, at + 8 + frames.readUInt32BE(at + 4));
  }
  return text;
}
