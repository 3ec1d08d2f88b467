import type { Step, Values } from './steps.js';

/** A place for a secret that only Ann may see. */
export interface Placement {
  name: string;
  values: Values;
  /** Enters the secret. Everything in it is Ann's. */
  steps: readonly Omit<Step, 'by'>[];
  /** Calls by which Ben, Dan or a plugin look for it, knowing all ids. */
  probes?: readonly Omit<Step, 'by'>[];
  /** Instructions whose calls would show it if an AI employee made them for Ann. Default: any. */
  lures?: readonly string[];
}

const words: Values = ['marzipan', 'tortoise'];
const notes = { title: '', target_type: '', target_id: '' };
const openNotes = { operation: 'sessions.create', input: notes, keep: 'secret_session' };
const writeNote = {
  operation: 'chat.send',
  input: { session_id: '{{secret_session}}', content: 'Buy {{secret}} soon' },
  keep: 'secret_message',
};
const room = (title: string, keep: string) => ({
  operation: 'sessions.create',
  input: { title, target_type: 'room', target_id: '', member_ids: ['{{ben}}', '{{dan}}', '{{employee1}}'] },
  keep,
});
const emptied = (name: string) =>
  ['{{ben}}', '{{dan}}'].map((member_id) => ({
    operation: 'sessions.remove_member',
    input: { session_id: `{{${name}}}`, member_id },
  }));
const write = (session_id: string, content: string) => ({
  operation: 'chat.send',
  input: { session_id, content },
  keep: 'secret_message',
});

const sessionProbes: Omit<Step, 'by'>[] = [
  { operation: 'sessions.get', input: { session_id: '{{secret_session}}' } },
  { operation: 'sessions.members', input: { session_id: '{{secret_session}}' } },
  { operation: 'messages.list', input: { session_id: '{{secret_session}}', limit: 50 } },
  { operation: 'messages.search', input: { session_id: '{{secret_session}}', q: words[0], limit: 20 } },
  { operation: 'sessions.stream', input: { session_id: '{{secret_session}}' } },
  { operation: 'sessions.join', input: { session_id: '{{secret_session}}' } },
  { operation: 'chat.send', input: { session_id: '{{secret_session}}', content: 'Hello?' } },
  { operation: 'unread.mark_read', input: { session_id: '{{secret_session}}' } },
];
const messageProbes: Omit<Step, 'by'>[] = [
  { operation: 'messages.get', input: { message_id: '{{secret_message}}' } },
  { operation: 'messages.stream', input: { message_id: '{{secret_message}}' } },
  { operation: 'messages.edit', input: { message_id: '{{secret_message}}', content: 'Mine' } },
  { operation: 'messages.delete', input: { message_id: '{{secret_message}}' } },
  { operation: 'reactions.add', input: { message_id: '{{secret_message}}', emoji: '👍' } },
  { operation: 'messages.list', input: { thread_id: '{{secret_message}}', limit: 50 } },
  { operation: 'chat.abort', input: { message_id: '{{secret_message}}' } },
];
const probes = [...sessionProbes, ...messageProbes];
/** The last one uploads what the file may have inside, which must not show whether it is stored already. */
const fileProbes: Omit<Step, 'by'>[] = [
  { operation: 'files.get', input: { file_id: '{{secret_file}}' } },
  { operation: 'files.list', input: {} },
  { operation: 'files.delete', input: { file_id: '{{secret_file}}' } },
  { operation: 'chat.send', input: { target_type: '', content: 'Mine', files: ['{{secret_file}}'] } },
  { operation: 'files.upload', input: { file: { name: 'mine.txt', content: `Buy ${words[0]}` } } },
];
const uploadFile = {
  operation: 'files.upload',
  input: { file: { name: '{{secret}}.txt', content: 'Buy {{secret}}' } },
  keep: 'secret_file',
};
const sendFile = {
  operation: 'chat.send',
  input: { session_id: '{{secret_session}}', content: 'Look', files: ['{{secret_file}}'] },
  keep: 'secret_message',
};

const listing = ['DO messages.list {"session_id":"{{secret_session}}"}'];
const searching = ['DO messages.search {"q":"marzipan"}', 'DO messages.search {"q":"tort"}'];
const titles = ['DO sessions.list {}'];
const reading = ['DO read_file_attachment {"file_id":"{{secret_file}}"}'];

/** The smallest PNG. */
const picture = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** All places of secrets. */
export const placements: readonly Placement[] = [
  {
    name: 'the title of private notes',
    values: words,
    steps: [{ ...openNotes, input: { ...notes, title: 'About {{secret}}' } }],
    probes: sessionProbes,
    lures: titles,
  },
  { name: 'a message in private notes', values: words, steps: [openNotes, writeNote], probes, lures: searching },
  {
    name: 'an edited message in private notes',
    values: words,
    steps: [
      openNotes,
      write('{{secret_session}}', 'Buy something'),
      { operation: 'messages.edit', input: { message_id: '{{secret_message}}', content: 'Buy {{secret}}' } },
    ],
    probes,
    lures: searching,
  },
  {
    name: 'the name of an image in private notes',
    values: words,
    steps: [
      openNotes,
      {
        operation: 'chat.send',
        input: { session_id: '{{secret_session}}', content: 'Look', images: [{ url: picture, name: '{{secret}}.png' }] },
        keep: 'secret_message',
      },
    ],
    probes,
    lures: listing,
  },
  {
    name: 'a file in private notes',
    values: words,
    steps: [openNotes, uploadFile, sendFile],
    probes: [...probes, ...fileProbes],
    lures: [...listing, ...searching, ...reading],
  },
  { name: 'a file that Ann has not sent', values: words, steps: [uploadFile], probes: fileProbes, lures: reading },
  {
    name: 'a file in a room that the others have left',
    values: words,
    steps: [room('Old', 'secret_session'), ...emptied('secret_session'), uploadFile, sendFile],
    probes: [...probes, ...fileProbes],
    lures: [...searching, ...listing, ...reading],
  },
  {
    name: 'a file of a message that Ann has deleted',
    values: words,
    steps: [
      room('Files', 'secret_session'),
      ...emptied('secret_session'),
      uploadFile,
      sendFile,
      { operation: 'messages.delete', input: { message_id: '{{secret_message}}' } },
    ],
    probes: [...probes, ...fileProbes],
    lures: [...searching, ...listing, ...reading],
  },
  {
    name: 'a conversation with an AI employee',
    values: words,
    steps: [
      {
        operation: 'sessions.create',
        input: { title: '', target_type: 'ai', target_id: '{{employee1}}' },
        keep: 'secret_session',
      },
      write('{{secret_session}}', 'What does {{secret}} mean?'),
    ],
    probes,
    lures: [...searching, ...titles],
  },
  {
    name: 'an approval that waits for Ann',
    values: words,
    steps: [
      {
        operation: 'sessions.create',
        input: { title: '', target_type: 'ai', target_id: '{{employee2}}' },
        keep: 'secret_session',
      },
      { ...write('{{secret_session}}', 'DO notifications.send {"title":"Buy {{secret}}"}'), decision: 'leave' },
    ],
    probes,
    lures: listing,
  },
  {
    name: "the title and topic of Ann's own room",
    values: words,
    steps: [
      { operation: 'sessions.create', input: { title: 'My {{secret}}', target_type: 'room', target_id: '' }, keep: 'secret_session' },
      { operation: 'sessions.update', input: { session_id: '{{secret_session}}', topic: 'All about {{secret}}' } },
    ],
    probes: sessionProbes,
    lures: titles,
  },
  {
    name: 'a message in a room that the others have left',
    values: words,
    steps: [room('Old', 'secret_session'), ...emptied('secret_session'), write('{{secret_session}}', 'Now {{secret}} at last')],
    probes,
    lures: [...searching, ...listing],
  },
  {
    name: 'a mention in a room that the others have left',
    values: ['ben', 'cyd'],
    steps: [room('Old', 'secret_session'), ...emptied('secret_session'), write('{{secret_session}}', 'Dear @{{secret}}-{{run}}!')],
    probes,
    lures: listing,
  },
  {
    name: 'a mention of everybody in a room that the others have left',
    values: ['room', 'rook'],
    steps: [room('Old', 'secret_session'), ...emptied('secret_session'), write('{{secret_session}}', 'Dear @{{secret}}!')],
    probes,
    lures: listing,
  },
  {
    name: 'in which of two former rooms Ann writes',
    values: ['{{former1}}', '{{former2}}'],
    steps: [
      room('Left', 'former1'),
      room('Gone', 'former2'),
      ...emptied('former1'),
      ...emptied('former2'),
      { ...write('{{secret}}', 'Nobody reads this'), keep: 'secret_message' },
    ],
    probes: [...messageProbes, { operation: 'sessions.get', input: { session_id: '{{former1}}' } }],
    lures: titles,
  },
  {
    name: 'the emoji of a reaction in private notes',
    values: ['🍎', '🍐'],
    steps: [
      openNotes,
      write('{{secret_session}}', 'Fruit'),
      { operation: 'reactions.add', input: { message_id: '{{secret_message}}', emoji: '{{secret}}' } },
    ],
    probes,
    lures: listing,
  },
  {
    name: 'a notification',
    values: words,
    steps: [
      { operation: 'notifications.send', input: { title: 'Think of {{secret}}', summary: 'It is {{secret}}' }, keep: 'notification' },
    ],
    probes: [{ operation: 'notifications.get', input: { id: '{{notification}}' } }],
    lures: ['DO notifications.list {}'],
  },
  {
    name: 'the time zone',
    values: ['Asia/Tokyo', 'Asia/Dubai'],
    steps: [{ operation: 'members.set_settings', input: { zone: '{{secret}}' } }],
  },
  {
    name: 'the language',
    values: ['fr', 'de'],
    steps: [{ operation: 'members.set_settings', input: { language: '{{secret}}' } }],
  },
  {
    name: 'the name of a token',
    values: words,
    steps: [{ operation: 'tokens.create', input: { name: '{{secret}}' }, keep: 'token' }],
    probes: [{ operation: 'tokens.delete', input: { id: '{{token}}' } }],
  },
  {
    name: 'words that Ann searches for',
    values: words,
    steps: [{ operation: 'messages.search', input: { q: '{{secret}}', limit: 20 } }],
  },
  {
    name: 'a call of Ann that fails',
    values: words,
    steps: [{ operation: 'sessions.update', input: { session_id: '01900000-0000-4000-8000-000000000000', title: '{{secret}}' } }],
  },
];
