import type { Attachments } from './attachments.js';
import type { Emoji } from './emoji.js';
import { idOf } from './ids.js';
import { firstText, isObject, type Json, objectsOf, textOf, textsOf } from './json.js';
import type { MattermostDirectory } from './mattermost-directory.js';
import type { Remarks } from './remarks.js';
import { outsideCode } from './text.js';
import type { Times } from './times.js';
import type { ExportedFile, ExportedMessage, UsernameOf } from './types.js';

interface PostParts {
  directory: MattermostDirectory;
  attachments: Attachments;
  emoji: Emoji;
  times: Times;
  remarks: Remarks;
}

/** Place of a post. */
export interface PostPlace {
  room: string;
  created_ms: number;
  /** Number among the posts of the same time, room and user. */
  occurrence: number;
  usernameOf: UsernameOf;
}

const mention = /(?<![\w.@/-])@([a-z0-9._-]{1,64})/gi;

/** Turns posts of Mattermost into messages. */
export class MattermostPosts {
  readonly #parts: PostParts;

  constructor(parts: PostParts) {
    this.#parts = parts;
  }

  /** Returns a post and its replies, the post first. Posts of the system and deleted ones are left out. */
  messages(post: Json, { room, created_ms, occurrence, usernameOf }: PostPlace): ExportedMessage[] {
    const id = idOf('post', room, textOf(post.user).toLowerCase(), created_ms, occurrence);
    const root = this.#message(post, { id, room, created_ms, usernameOf });
    const replies = objectsOf(post.replies);
    if (!root && replies.length > 0) this.#parts.remarks.add('threads lost their first message; their replies became ordinary messages');
    const seen = new Map<string, number>();
    let before_ms = created_ms;
    const found = replies.flatMap((reply) => {
      before_ms = this.#parts.times.of(reply.create_at, before_ms);
      const key = `${textOf(reply.user).toLowerCase()} ${before_ms}`;
      const at = seen.get(key) ?? 0;
      seen.set(key, at + 1);
      const message = this.#message(reply, { id: idOf('reply', id, key, at), room, created_ms: before_ms, usernameOf });
      return message ? [{ ...message, ...(root && { thread: id }) }] : [];
    });
    return [...(root ? [root] : []), ...found];
  }

  #message(post: Json, { id, room, created_ms, usernameOf }: Omit<PostPlace, 'occurrence'> & { id: string }): ExportedMessage | undefined {
    const { times, remarks } = this.#parts;
    if (textOf(post.type).startsWith('system_')) return this.#leaveOut('messages of the system, such as joins, were left out', post);
    const props = isObject(post.props) ? post.props : {};
    const isDeleted = Number(post.delete_at ?? post.deleted_at ?? 0) > 0 || textOf(post.state) === 'DELETE' || 'deleteBy' in props;
    if (isDeleted) return this.#leaveOut('deleted messages were left out', post);
    const text = this.#text(post, props, usernameOf);
    const files = objectsOf(post.attachments).map(({ path }) => this.#file(path));
    if (text === '' && files.length === 0) return this.#leaveOut('empty messages were left out', post);
    if (post.is_pinned === true) remarks.add('messages were pinned, which the platform has not');
    const edited_ms = times.optional(post.edit_at);
    const sender = this.#sender(post, props);
    return { id, room, role: 'user', ...sender, text, created_ms, edited_ms, reactions: this.#reactions(post), files };
  }

  #leaveOut(reason: string, { message }: Json): undefined {
    this.#parts.remarks.add(reason, textOf(message) || undefined);
  }

  #file(path: unknown): ExportedFile {
    return this.#parts.attachments.file(textOf(path));
  }

  /** Returns who wrote a post: a user, or the name of a bot or webhook. */
  #sender({ user }: Json, props: Json): Pick<ExportedMessage, 'person' | 'name'> {
    const { directory, remarks } = this.#parts;
    const name = textOf(user);
    if (props.from_webhook === 'true' || props.from_webhook === true) {
      remarks.add('messages of webhooks and bots keep their names and belong to no member');
      return { person: undefined, name: `${firstText(props.override_username, 'Webhook')} (bot)` };
    }
    const bot = directory.botName(name);
    if (bot !== undefined) {
      remarks.add('messages of webhooks and bots keep their names and belong to no member');
      return { person: undefined, name: `${bot} (bot)` };
    }
    if (directory.isUser(name)) return { person: name.toLowerCase() };
    remarks.add("messages of people who are not in the export belong to 'Deleted member'", name || 'without a user');
    return { person: undefined };
  }

  #text({ message }: Json, props: Json, usernameOf: UsernameOf): string {
    const own = textOf(message);
    const text = own.trim() === '' ? attachmentText(props) : own;
    return this.#parts.emoji
      .inText(outsideCode(text, (part) => part.replace(mention, (whole, name: string) => mentionOf(whole, name, usernameOf))))
      .trimEnd();
  }

  #reactions({ reactions }: Json): ExportedMessage['reactions'] {
    const { emoji, directory, remarks } = this.#parts;
    const found = new Map<string, string[]>();
    for (const { emoji_name, user } of objectsOf(reactions)) {
      const sign = emoji.of(textOf(emoji_name));
      const person = textOf(user).toLowerCase();
      if (sign === undefined) remarks.add('reactions with emoji of the workspace were left out', textOf(emoji_name));
      else if (!directory.isUser(person)) remarks.add('reactions of people who are not in the export were left out', person);
      else found.set(sign, [...(found.get(sign) ?? []), person]);
    }
    return [...found].map(([sign, people]) => ({ emoji: sign, people }));
  }
}

/** Names a user as the platform does; a full stop at the end is none of the name. */
function mentionOf(whole: string, written: string, usernameOf: UsernameOf): string {
  const name = usernameOf(written.toLowerCase()) === undefined ? written.replace(/\.+$/, '') : written;
  const username = usernameOf(name.toLowerCase());
  return username === undefined ? whole : `@${username}${written.slice(name.length)}`;
}

/** Returns the text of the attachments that integrations send instead of a message. */
function attachmentText(props: Json): string {
  const parts = objectsOf(props.attachments).map(({ pretext, title, text, fallback }) => {
    const own = [pretext, title, text].map(textOf).filter((part) => part !== '');
    return own.length > 0 ? own.join('\n') : textOf(fallback);
  });
  return [...parts, ...textsOf(props.attachments)].join('\n\n').trim();
}
