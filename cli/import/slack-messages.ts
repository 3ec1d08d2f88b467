import type { Emoji } from './emoji.js';
import { firstText, isObject, type Json, objectsOf, textOf, textsOf } from './json.js';
import type { Remarks } from './remarks.js';
import type { SlackDirectory, SlackRoom } from './slack-directory.js';
import { markdownOf, type SlackNames, textOfParts } from './slack-text.js';
import type { Times } from './times.js';
import type { ExportedMessage } from './types.js';

/** Subtypes of what people and bots write. Others are of the system, such as joins. */
const written = new Set([
  'bot_message',
  'me_message',
  'thread_broadcast',
  'file_share',
  'file_comment',
  'reply_broadcast',
  'document_mention',
]);

interface MessageParts {
  directory: SlackDirectory;
  emoji: Emoji;
  times: Times;
  remarks: Remarks;
  names: SlackNames;
}

/** Turns messages of Slack into those of the platform. */
export class SlackMessages {
  readonly #parts: MessageParts;

  constructor(parts: MessageParts) {
    this.#parts = parts;
  }

  /** Returns a message; undefined if it is left out. */
  message(found: Json, { room }: Pick<SlackRoom, 'room'>, created_ms: number): ExportedMessage | undefined {
    const { times } = this.#parts;
    const subtype = textOf(found.subtype);
    if (subtype === 'tombstone' || found.hidden === true) return this.#leaveOut('deleted messages were left out');
    if (subtype !== '' && !written.has(subtype)) return this.#leaveOut('messages of the system, such as joins, were left out', subtype);
    const text = this.#text(found, subtype);
    if (text === '') return this.#leaveOut('empty messages were left out');
    const [ts, thread_ts] = [tsOf(found.ts), tsOf(found.thread_ts)];
    const id = `${room.id}/${ts}`;
    const thread = thread_ts !== '' && thread_ts !== ts ? `${room.id}/${thread_ts}` : undefined;
    const edited_ms = isObject(found.edited) ? times.optional(found.edited.ts) : undefined;
    const sender = this.#sender(found, subtype);
    return {
      id,
      room: room.id,
      role: 'user',
      ...sender,
      text,
      created_ms,
      edited_ms,
      thread,
      reactions: this.#reactions(found),
      files: [],
    };
  }

  #leaveOut(reason: string, example?: string): undefined {
    this.#parts.remarks.add(reason, example);
  }

  #sender(found: Json, subtype: string): Pick<ExportedMessage, 'person' | 'name'> {
    const { directory, remarks } = this.#parts;
    const comment = isObject(found.comment) ? found.comment : {};
    const user = firstText(found.user, comment.user);
    if (directory.isPerson(user)) return { person: user };
    const profile = isObject(found.bot_profile) ? found.bot_profile : {};
    const isBot = subtype === 'bot_message' || textOf(found.bot_id) !== '' || directory.botName(user) !== undefined;
    if (isBot) {
      remarks.add('messages of webhooks and bots keep their names and belong to no member');
      return { person: undefined, name: `${firstText(found.username, profile.name, directory.botName(user), 'Bot')} (bot)` };
    }
    remarks.add("messages of people who are not in the export belong to 'Deleted member'", user || 'without a user');
    return { person: undefined };
  }

  #text(found: Json, subtype: string): string {
    const { names, emoji } = this.#parts;
    const comment = isObject(found.comment) ? found.comment : {};
    const own = firstText(found.text, comment.comment) || textOfParts(found.blocks, found.attachments);
    const text = markdownOf(own, names, emoji);
    const shown = subtype === 'me_message' && text !== '' ? `_${text}_` : text;
    return [shown, ...this.#links(found)].filter((part) => part !== '').join('\n');
  }

  /** Returns links to the files, which an export does not contain. The token that some links have is removed: it opens the file to everybody. */
  #links({ files, file }: Json): string[] {
    const { remarks } = this.#parts;
    return [...objectsOf(files), ...objectsOf([file])].flatMap((one) => {
      const name = firstText(one.title, one.name, one.id, 'file').replace(/[[\]]/g, '\\$&');
      if (one.mode === 'tombstone' || one.mode === 'hidden_by_limit') {
        remarks.add('files that Slack has deleted or hidden were left out', name);
        return [];
      }
      remarks.add('files are not in a Slack export: messages have links to them, which need an account there', name);
      const address = firstText(one.permalink, one.url_private).replace(/[?#].*$/, '');
      return [/^https:\/\//.test(address) ? `[${name}](${address.replaceAll(')', '%29')})` : `[File: ${name}]`];
    });
  }

  #reactions({ reactions }: Json): ExportedMessage['reactions'] {
    const { emoji, directory, remarks } = this.#parts;
    return objectsOf(reactions).flatMap(({ name, users }) => {
      const sign = emoji.of(textOf(name));
      if (sign === undefined) remarks.add('reactions with emoji of the workspace were left out', textOf(name));
      const people = textsOf(users).filter((user) => directory.isPerson(user));
      if (people.length < textsOf(users).length) remarks.add('reactions of people who are not in the export were left out');
      return sign === undefined || people.length === 0 ? [] : [{ emoji: sign, people }];
    });
  }
}

/** Returns the time stamp that identifies a message in its conversation, as a text. */
export function tsOf(value: unknown): string {
  return typeof value === 'number' ? String(value) : textOf(value).slice(0, 64);
}
