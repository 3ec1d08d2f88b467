import { type Database, Op } from '../../kernel/contract/index.js';

/** The images of each session, by the hex of their SHA-256. Their bytes are the platform's blobs. */
function images(db: Database) {
  const { string } = db.columns;
  return db.define(
    'images',
    {
      session_id: string(36, { primaryKey: true }),
      hash: string(64, { primaryKey: true }),
      mime_type: string(32),
    },
    { indexes: [{ name: 'chat_images_hash', fields: ['hash'] }] },
  );
}

/** Files of messages, which stay until no message names them. Their bytes are the platform's blobs. */
function files(db: Database) {
  const { string, integer, bigint, time } = db.columns;
  return db.define(
    'files',
    {
      id: string(36, { primaryKey: true }),
      /** Null if the member was deleted. */
      uploader_id: integer({ allowNull: true }),
      name: string(200),
      mime_type: string(100),
      bytes: bigint(),
      /** The hex of the SHA-256. */
      hash: string(64),
      /** Time of the upload; null once a message has named the file. */
      unsent_since: time({ allowNull: true }),
    },
    {
      indexes: [
        { name: 'chat_files_uploader', fields: ['uploader_id'] },
        { name: 'chat_files_unsent', fields: ['unsent_since'], where: { unsent_since: { [Op.ne]: null } } },
      ],
    },
  );
}

/** The messages that name each file. */
function messageFiles(db: Database) {
  const { string } = db.columns;
  return db.define(
    'message_files',
    {
      file_id: string(36, { primaryKey: true }),
      message_id: string(36, { primaryKey: true }),
      session_id: string(36),
    },
    {
      indexes: [
        { name: 'chat_message_files_message', fields: ['message_id'] },
        { name: 'chat_message_files_session', fields: ['session_id'] },
      ],
    },
  );
}

/** The beginnings of the texts of sent files, which are also a queue of the files to read. */
function fileTexts(db: Database) {
  const { string, text, integer, bigint } = db.columns;
  return db.define(
    'file_texts',
    {
      /** Id of the file. */
      id: string(36, { primaryKey: true }),
      /** Null until the file is read; empty if it has no text. */
      text: text({ allowNull: true }),
      /** 1 until its text is in the search index. */
      waiting: integer<0 | 1>(),
      attempts: integer(),
      /** The process that reads it. */
      owner: string(64, { allowNull: true }),
      /** The end of that process's lease, or when the file is due, in ms of the database's clock. */
      lease_until: bigint(),
      /** While it waits, the member who uploaded it. Null if that member was deleted, and for files of an earlier version. */
      uploader_id: integer({ allowNull: true }),
      /** Place in the queue. Files with the same turn are read in the order of their uploads. */
      turn: integer<number>({ defaultValue: 0 }),
    },
    {
      indexes: [
        { name: 'chat_file_texts_waiting', fields: ['turn', 'id'], where: { waiting: 1 } },
        { name: 'chat_file_texts_uploader', fields: ['uploader_id', 'turn'], where: { waiting: 1 } },
      ],
    },
  );
}

/** The bytes of each member's texts, images and files. */
function usage(db: Database) {
  const { integer, bigint } = db.columns;
  return db.define('usage', { member_id: integer({ primaryKey: true }), bytes: bigint() });
}

/** Uploads, of all images of a message or of a file, that are not stored yet. */
function uploads(db: Database) {
  const { string, integer, bigint, time } = db.columns;
  return db.define(
    'uploads',
    {
      member_id: integer({ primaryKey: true }),
      /** Names the content. */
      hash: string(64, { primaryKey: true }),
      bytes: bigint(),
      created_at: time(),
    },
    { indexes: [{ name: 'chat_uploads_age', fields: ['created_at'] }] },
  );
}

/** The tables of images and files, and of the bytes that members have stored. */
export const fileModels = (db: Database) => ({
  images: images(db),
  files: files(db),
  message_files: messageFiles(db),
  file_texts: fileTexts(db),
  usage: usage(db),
  uploads: uploads(db),
});
