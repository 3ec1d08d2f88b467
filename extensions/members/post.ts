import type { Contribution, Log } from '../../kernel/contract/index.js';
import type { Mail, SendMail } from './contract.js';

interface Parts {
  /** Returns the current contributions to the slot `members.mail`. */
  slot: () => readonly Contribution<SendMail>[];
  /** Public address of the platform; empty if it is not known. */
  address: string;
  log: Log;
}

/** Sends mails with links of the platform. */
export class Post {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether mails with links can be sent: a mail server is configured, and the address that links begin with is known. */
  get isReady(): boolean {
    return this.#parts.address !== '' && this.hasServer;
  }

  get hasServer(): boolean {
    return this.#parts.slot().length > 0;
  }

  /** Returns a path of the platform as an address. Never made from a request, whose `Host` anybody may choose. */
  linkTo(path: string): string {
    return `${this.#parts.address}${path}`;
  }

  /** Sends a mail; returns the reason if it could not be sent. */
  async send(mail: Mail): Promise<string | undefined> {
    const [sender] = this.#parts.slot();
    if (!sender) return 'No mail server is configured';
    try {
      await sender.value(mail);
      return undefined;
    } catch (err) {
      this.#parts.log.warn('Could not send a mail', { subject: mail.subject, err });
      return err instanceof Error ? err.message : 'The mail could not be sent';
    }
  }
}
