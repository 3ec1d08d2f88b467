import { type Caller, lockName } from '../../../kernel/contract/index.js';
import type { MembersService } from '../../members/contract.js';
import { fail } from '../codes.js';
import type { ImportAnswer, ImportedFile, ImportFindings, ImportInput, ImportQuery, MessageFile } from '../contract.js';
import type { Ports } from '../ports.js';
import type { FileRows } from '../store/files-sql.js';
import type { ImportedRows } from '../store/imported-sql.js';
import type { Targets } from '../targets.js';
import { ImportedMessages } from './messages.js';
import { ImportedPeople } from './people.js';
import { ImportedRooms } from './rooms.js';

export interface ImporterParts {
  ports: Ports;
  members: MembersService;
  targets: Targets;
  rows: ImportedRows;
  files: FileRows;
}

/** Lock name: portions of imports are stored one at a time, so that no record is stored twice. */
const import_lock = 'chat:import';

/**
 * Stores portions of exports of other products. Each record keeps its id in the export, so that a portion can be sent again. Only for callers
 * on the server's machine, because they write in the name of others.
 */
export class Importer {
  readonly #parts: ImporterParts;
  readonly #people: ImportedPeople;
  readonly #rooms: ImportedRooms;
  readonly #messages: ImportedMessages;

  constructor(parts: ImporterParts) {
    this.#parts = parts;
    this.#people = new ImportedPeople(parts);
    this.#rooms = new ImportedRooms(parts);
    this.#messages = new ImportedMessages(parts);
  }

  /** Returns which records were imported before, and who is a member already. Fails with `import_not_local`. */
  async find({ source, people, rooms, messages }: ImportQuery, caller: Caller): Promise<ImportFindings> {
    assertLocal(caller);
    const { rows } = this.#parts;
    const { found } = await this.#people.find(source, people);
    return {
      people: found,
      rooms: await this.#rooms.find(source, rooms),
      messages: [...(await rows.find(source, 'message', messages)).keys()],
    };
  }

  /** Stores a portion in one transaction, except what was stored before. Fails with `import_not_local` and `file_not_found`. */
  async write({ source, people, rooms, messages }: ImportInput, caller: Caller): Promise<ImportAnswer> {
    assertLocal(caller);
    const { db } = this.#parts.ports;
    return db.transaction(async () => {
      await lockName(db, import_lock);
      return {
        people: await this.#people.write(source, people),
        rooms: await this.#rooms.write(source, rooms, caller),
        messages: await this.#messages.write(source, messages),
      };
    });
  }

  /** Stores a file for a message. It is removed if no message names it within an hour. Fails with `import_not_local`, and as uploads do. */
  async file({ file }: ImportedFile, caller: Caller): Promise<MessageFile> {
    assertLocal(caller);
    return this.#parts.ports.files.imported(file);
  }
}

/** Fails unless the caller is a person or a script on the machine of the server, who could read and write its data folder. */
function assertLocal({ door }: Pick<Caller, 'door'>): void {
  if (door === 'local' || door === 'direct') return;
  throw fail('import_not_local', "Imports run on the server's machine only: use the command line there, without --url");
}
