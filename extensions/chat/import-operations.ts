import type { Joi, Operations, Subject } from '../../kernel/contract/index.js';
import type { ChatApi } from './contract.js';
import { max_bytes } from './files/files.js';
import * as shape from './shapes.js';

const imports: Subject = {
  name: 'Imports',
  description: 'Storage for exports of other products. The command line reads them: `platform import`.',
};

type ImportApi = Pick<ChatApi, Extract<keyof ChatApi, `imports.${string}`>>;

const path = '/api/chat/imports';
/** Limit of a portion: 200 messages of 32,000 characters. */
const portion_bytes = 24 * 1024 * 1024;
const form_bytes = 64 * 1024;
/** The last ms of the year 9999. */
const max_ms = 253_402_300_799_999;

const exportId = (j: Joi) =>
  j
    .string()
    .min(1)
    .max(200)
    .pattern(/^[^\0]*$/, 'text');
const source = (j: Joi) => exportId(j).max(64).required().description('The product, and which installation of it');
const time = (j: Joi) => j.number().integer().min(0).max(max_ms).description('In ms since the epoch');
const name = (j: Joi) => j.string().max(1_000).allow('');

const person = (j: Joi) => j.object({ id: exportId(j).required(), username: name(j).required(), nickname: name(j).required() });
const people = (j: Joi) => j.array().items(person(j)).max(200).default([]).description('With a user name of a member: that member');
const state = (j: Joi) =>
  j.string().valid('created', 'matched', 'known', 'gone').required().description("'gone': imported before and deleted since");

const personState = (j: Joi) =>
  j.object({
    id: exportId(j).required(),
    member_id: shape.memberId(j).allow(null).required(),
    username: j.string().allow('').required(),
    state: state(j),
  });

const roomState = (j: Joi) =>
  j.object({ id: exportId(j).required(), session_id: shape.id(j).allow(null).required(), state: state(j) }).label('ImportedRoomState');

const room = (j: Joi) =>
  j.object({
    id: exportId(j).required(),
    kind: j.string().valid('room', 'pair', 'notes', 'ai').required(),
    title: name(j).required(),
    topic: name(j).default(''),
    visibility: shape.visibility(j).default('private'),
    created_ms: time(j).required(),
    members: j
      .array()
      .items(j.object({ member_id: shape.memberId(j).required(), owner: j.boolean().default(false) }))
      .max(5_000)
      .required(),
  });

const message = (j: Joi) =>
  j.object({
    id: exportId(j).required(),
    room_id: exportId(j).required(),
    role: j.string().valid('user', 'assistant').default('user'),
    sender_id: shape.memberId(j).allow(null).required(),
    sender_name: j.string().max(64).allow('').default('').description('Shown if the sender is no member'),
    content: j.string().max(32_000).allow('').required(),
    created_ms: time(j).required(),
    edited_ms: time(j).allow(null).default(null),
    thread: exportId(j).allow(null).default(null).description('The message that begins its thread, by its id in the export'),
    reply_to: exportId(j).allow(null).default(null).description('The message that it answers, by its id in the export'),
    reactions: j
      .array()
      .items(j.object({ emoji: j.string().max(64).required(), member_ids: j.array().items(shape.memberId(j)).max(5_000).required() }))
      .max(100)
      .default([]),
    files: shape.fileIds(j).default([]),
  });

/** The operations that store exports. */
export const importOperations = {
  'imports.find': {
    summary: "Finds out which records of an export were imported before, and which people are members. Only on the server's machine.",
    subject: imports,
    method: 'POST',
    path: `${path}/find`,
    who: 'admin',
    audience: 'admin',
    input: (j) =>
      j.object({
        source: source(j),
        people: people(j),
        rooms: j.array().items(exportId(j)).max(500).default([]),
        messages: j.array().items(exportId(j)).max(1_000).default([]),
      }),
    answer: (j) =>
      j
        .object({
          people: j.array().items(personState(j)).required(),
          rooms: j.array().items(roomState(j)).required(),
          messages: j.array().items(exportId(j)).required().description('Those that were imported before'),
        })
        .label('ImportFindings'),
    failures: ['import_not_local'],
  },
  'imports.write': {
    summary: "Stores a portion of an export, except what was imported before. Only on the server's machine.",
    subject: imports,
    method: 'POST',
    path,
    who: 'admin',
    audience: 'admin',
    input: (j) =>
      j.object({
        source: source(j),
        people: people(j),
        rooms: j.array().items(room(j)).max(50).default([]),
        messages: j.array().items(message(j)).max(200).default([]),
      }),
    answer: (j) =>
      j
        .object({
          people: j.array().items(personState(j)).required(),
          rooms: j.array().items(roomState(j)).required(),
          messages: j
            .object({
              created: j.number().integer().min(0).required(),
              known: j.number().integer().min(0).required(),
              left_out: j.number().integer().min(0).required().description('Messages of rooms that are missing'),
            })
            .required(),
        })
        .label('ImportAnswer'),
    failures: ['import_not_local', 'file_not_found'],
    audited: true,
    // The trail names the source, not what people wrote.
    secrets: ['people', 'rooms', 'messages'],
    dangerous: true,
    max_bytes: portion_bytes,
    timeout_ms: 120_000,
  },
  'imports.file': {
    summary: "Uploads a file for a message of an export, which must name it within an hour. Only on the server's machine.",
    subject: imports,
    method: 'POST',
    path: `${path}/files`,
    who: 'admin',
    audience: 'admin',
    kind: 'upload',
    input: shape.uploadedFile,
    answer: shape.messageFile,
    failures: ['import_not_local', 'file_empty'],
    max_bytes: max_bytes + form_bytes,
    timeout_ms: 120_000,
  },
} satisfies Operations<ImportApi>;
