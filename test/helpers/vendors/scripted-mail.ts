import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';

/**
 * Replies by the command that they answer; what is left out is answered as a plain server does. A line break separates
 * lines. `silence`: the server says nothing more; `close`: it cuts the connection.
 */
export interface MailScript {
  greeting?: string;
  EHLO?: string;
  HELO?: string;
  AUTH?: string;
  STARTTLS?: string;
  'MAIL FROM'?: string;
  'RCPT TO'?: string;
  DATA?: string;
  /** The reply to the message itself. */
  message?: string;
}

export interface ScriptedMail {
  readonly port: number;
  /** The lines that the client has sent, without those of messages. */
  readonly commands: readonly string[];
  /** The messages, as they were sent. */
  readonly messages: readonly string[];
  /** The next conversations go so. */
  play(script: MailScript): void;
}

const usual: Required<MailScript> = {
  greeting: '220 mail.example ESMTP',
  EHLO: '250 mail.example',
  HELO: '250 mail.example',
  AUTH: '235 2.7.0 Welcome',
  STARTTLS: '502 5.5.1 Not here',
  'MAIL FROM': '250 2.1.0 Ok',
  'RCPT TO': '250 2.1.5 Ok',
  DATA: '354 Go ahead',
  message: '250 2.0.0 Queued',
};

/** An SMTP server that says what it is told to, for what no real server can be made to do. It ends with the test. */
export async function startScriptedMail(t: Test): Promise<ScriptedMail> {
  const commands: string[] = [];
  const messages: string[] = [];
  const sockets = new Set<Socket>();
  let script = usual;
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    new Conversation(socket, script, { commands, messages }).begin();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const play = (next: MailScript) => {
    script = { ...usual, ...next };
  };
  return { port, commands, messages, play };
}

class Conversation {
  readonly #socket: Socket;
  readonly #script: Required<MailScript>;
  readonly #record: { commands: string[]; messages: string[] };
  #buffer = '';
  #inMessage = false;

  constructor(socket: Socket, script: Required<MailScript>, record: { commands: string[]; messages: string[] }) {
    this.#socket = socket;
    this.#script = script;
    this.#record = record;
  }

  begin(): void {
    this.#socket.on('data', (chunk: Buffer) => {
      this.#buffer += chunk.toString('latin1');
      this.#read();
    });
    this.#reply(this.#script.greeting);
  }

  #read(): void {
    for (;;) {
      const end = this.#buffer.indexOf(this.#inMessage ? '\r\n.\r\n' : '\r\n');
      if (end < 0) return;
      const text = this.#buffer.slice(0, end);
      this.#buffer = this.#buffer.slice(end + (this.#inMessage ? 5 : 2));
      if (this.#inMessage) this.#take(text);
      else this.#answer(text);
    }
  }

  #take(message: string): void {
    this.#inMessage = false;
    this.#record.messages.push(message);
    this.#reply(this.#script.message);
  }

  #answer(line: string): void {
    this.#record.commands.push(line);
    if (/^QUIT/i.test(line)) return void this.#socket.end('221 Bye\r\n');
    const command = (Object.keys(usual) as (keyof MailScript)[]).find((name) => line.toUpperCase().startsWith(name));
    const reply = command === undefined ? '250 Ok' : this.#script[command];
    this.#inMessage = command === 'DATA' && /^[23]/.test(reply);
    this.#reply(reply);
  }

  #reply(reply: string): void {
    if (reply === 'close') this.#socket.destroy();
    else if (reply !== 'silence') this.#socket.write(`${reply.replaceAll(/\r?\n/g, '\r\n')}\r\n`);
  }
}
