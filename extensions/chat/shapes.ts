import { type Joi, label } from '../../kernel/contract/index.js';

/** Excludes NUL, which PostgreSQL can't store. */
const withoutNul = /^[^\0]*$/;
const meaningful = /^[^\0]*[^\s\0][^\0]*$/;

export const id = (j: Joi) => j.string().guid().lowercase();
export const memberId = (j: Joi) => j.number().integer().min(1).max(2_147_483_647);
const time = (j: Joi) => j.string().isoDate();

export const title = (j: Joi) => label(j, 200).allow('').default('');
export const content = (j: Joi) => j.string().max(32_000).pattern(meaningful, 'text that is not only white space');
export const reportReason = (j: Joi) =>
  j.string().trim().max(1_000).pattern(meaningful, 'text that is not only white space').description('For those who get the report');
// Without a default, which would change the input of a request that is repeated after an upgrade.
export const fileIds = (j: Joi) => j.array().items(id(j)).max(10).unique().description('Ids of files that you have uploaded');
export const imageInput = (j: Joi) =>
  j
    .alternatives()
    .try(
      // Base64 adds a third to the size.
      j.string().max(28_000_000),
      j.object({
        url: j.string().max(28_000_000).required(),
        mime_type: j.string().max(100).allow(''),
        name: j.string().max(200).allow('').pattern(withoutNul, 'text'),
      }),
    )
    .description('A data URL in base64, an https URL, or an object with one of them as its url');
export const targetType = (j: Joi) => j.string().valid('ai', 'member', '', 'room').label('TargetType');
export const targetId = (j: Joi) =>
  j
    .alternatives()
    .try(j.string().max(64).allow(''), memberId(j))
    .description('Member id of the partner; empty for the default AI employee, or if there is no partner');
export const notInRoom = (j: Joi) =>
  j
    .array()
    .items(j.object({ member_id: memberId(j).required(), username: j.string().required() }))
    .description('People whom the text mentions but who are not in the room');
export const limit = (j: Joi, usual: number) => j.number().integer().min(1).max(200).default(usual);
export const after = (j: Joi) => j.string().max(2_000).description('Continue after this cursor; over HTTP also the header Last-Event-ID');

export const visibility = (j: Joi) => j.string().valid('private', 'open').label('Visibility');
export const roomRole = (j: Joi) => j.string().valid('owner', 'member').label('RoomRole');
export const answers = (j: Joi) => j.string().valid('mentioned', 'always', 'never').label('Answers');
export const level = (j: Joi) => j.string().valid('all', 'mentions', 'none').label('NotificationLevel');

export const sessionNotifications = (j: Joi) =>
  j.object({ level: level(j).required(), muted_until: time(j).allow(null).required() }).label('SessionNotifications');

export const session = (j: Joi) =>
  j
    .object({
      id: id(j).required(),
      title: j.string().allow('').required(),
      target_type: targetType(j).required(),
      target_id: j.string().allow('').required(),
      created_by: memberId(j).required(),
      created_at: time(j).required(),
      updated_at: time(j).required(),
      last_message_at: time(j).allow(null).required(),
      last_message_preview: j.string().allow('').required(),
      unread_count: j.number().integer().min(0).required(),
      active_task_id: id(j).allow(null).required(),
      active_task_ids: j.array().items(id(j)).required(),
      visibility: visibility(j).required(),
      topic: j.string().allow('').required(),
      member_count: j.number().integer().min(0).required(),
      mention_count: j.number().integer().min(0).required(),
      role: roomRole(j).required().description('Your own role'),
      notifications: sessionNotifications(j).required().description('Your own settings'),
    })
    .label('Session');

export const openRoom = (j: Joi) =>
  j
    .object({
      id: id(j).required(),
      title: j.string().allow('').required(),
      topic: j.string().allow('').required(),
      member_count: j.number().integer().min(0).required(),
      created_at: time(j).required(),
      last_message_at: time(j).allow(null).required(),
    })
    .label('OpenRoom');

export const sessionMember = (j: Joi) =>
  j
    .object({
      member_id: memberId(j).required(),
      username: j.string().allow('').required(),
      nickname: j.string().allow('').required(),
      is_guest: j.boolean().required().description("Whether it is a plugin's own member, which was added"),
      is_virtual: j.boolean().required().description("Whether it is an AI employee or a plugin's own member"),
      role: roomRole(j).required(),
      answers: answers(j).allow(null).required().description('When an AI employee answers in a room; null for others'),
    })
    .label('SessionMember');

export const contact = (j: Joi) =>
  j
    .object({
      member_id: memberId(j).required(),
      username: j.string().required(),
      nickname: j.string().required(),
      is_virtual: j.boolean().required(),
      role: j.string().valid('admin', 'member').required(),
      post: j.string().allow('').required(),
      oversight: j.boolean().required(),
      presence: j.string().valid('online', 'away', 'dnd', 'offline').required(),
      node_status: j.string().allow(null).required(),
      session_id: id(j).allow(null).required(),
      last_message_at: time(j).allow(null).required(),
      unread_count: j.number().integer().min(0).required(),
    })
    .label('Contact');

export const fault = (j: Joi) => j.object({ code: j.string().required(), message: j.string().allow('').required() }).label('Fault');

const toolCall = (j: Joi) =>
  j
    .object({
      id: id(j).required(),
      name: j.string().required(),
      input: j.any().required(),
      output: j.string().allow('', null).required(),
      error: j.string().allow('', null).required(),
      started_at: time(j).required(),
      finished_at: time(j).allow(null).required(),
    })
    .label('ToolCall');

const image = (j: Joi) => j.object({ url: j.string().required(), mime_type: j.string().required(), name: j.string() }).label('Image');

/** Schema of an upload's input, as the HTTP layer stores its file. */
export const uploadedFile = (j: Joi) =>
  j.object({
    file: j
      .object({ filename: j.string().allow('').required(), path: j.string().required(), bytes: j.number().integer().required() })
      .unknown()
      .required(),
  });

export const messageFile = (j: Joi) =>
  j
    .object({
      id: id(j).required(),
      name: j.string().required(),
      mime_type: j.string().required().description('A hint, except for the types of images that browsers show'),
      bytes: j.number().integer().min(0).required(),
      sha256: j.string().required().description('In hex'),
    })
    .label('MessageFile');

export const unsentFile = (j: Joi) =>
  messageFile(j)
    .append({ expires_at: time(j).required().description('It is removed then unless a message names it') })
    .label('UnsentFile');

const mention = (j: Joi) =>
  j
    .object({
      member_id: memberId(j),
      room: j.boolean().valid(true).description('Everybody in the room'),
      offset: j.number().integer().min(0).required().description('In UTF-16 units of the text'),
      length: j.number().integer().min(1).required(),
    })
    .xor('member_id', 'room')
    .label('Mention');

const usage = (j: Joi) =>
  j.object({ input_tokens: j.number().integer().required(), output_tokens: j.number().integer().required() }).label('Usage');

export const memberUsage = (j: Joi) =>
  j.object({
    bytes: j
      .number()
      .integer()
      .min(0)
      .required()
      .description('Texts in UTF-8, images and files. Each message counts all of its images; a file counts once, from its upload on'),
    quota_bytes: j
      .number()
      .integer()
      .min(0)
      .required()
      .description('Limit beyond which images and files are refused; texts never are. 0: unlimited'),
  });

export const reaction = (j: Joi) =>
  j
    .object({
      emoji: j.string().required(),
      count: j.number().integer().min(1).required(),
      mine: j.boolean().required().description('Always false in streams and pushed frames, which several members get'),
    })
    .label('Reaction');

export const message = (j: Joi) =>
  j
    .object({
      id: id(j).required(),
      session_id: id(j).required(),
      role: j.string().valid('user', 'assistant', 'system', 'tool').label('MessageRole').required(),
      sender_id: memberId(j).allow(null).required(),
      sender_name: j.string().allow('').required(),
      content: j.string().allow('').required(),
      images: j.array().items(image(j)).required(),
      files: j.array().items(messageFile(j)).required().description('Downloads are under /api/chat/files/{id}'),
      reply_to: id(j).allow(null).required(),
      task_id: id(j).allow(null).required(),
      status: j.string().valid('pending', 'streaming', 'completed', 'aborted', 'failed').label('MessageStatus').required(),
      error: fault(j).allow(null).required(),
      notices: j.array().items(fault(j)).required(),
      usage: usage(j).allow(null).required(),
      tool_calls: j.array().items(toolCall(j)).required(),
      mentions: j.array().items(mention(j)).required().description('Members of a room whom the text mentions'),
      created_at: time(j).required(),
      updated_at: time(j).required(),
      edited_at: time(j).allow(null).required(),
      deleted_at: time(j).allow(null).required().description('A deleted message has no text, images, files and tool calls'),
      thread_id: id(j).allow(null).required().description('The first message of its thread'),
      reply_count: j.number().integer().min(0).required().description('Messages in the thread that begins here'),
      last_reply_at: time(j).allow(null).required(),
      reactions: j.array().items(reaction(j)).required(),
    })
    .label('Message');

const highlightPiece = (j: Joi) => j.object({ text: j.string().required(), match: j.boolean().required() }).label('HighlightPiece');

export const foundMessage = (j: Joi) =>
  message(j)
    .keys({ highlight: j.array().items(highlightPiece(j)).required() })
    .label('FoundMessage');

export const taskStatus = (j: Joi) =>
  j.string().valid('queued', 'running', 'waiting_approval', 'completed', 'failed', 'cancelled').label('TaskStatus');

export const task = (j: Joi) =>
  j
    .object({
      id: id(j).required(),
      session_id: id(j).required(),
      message_id: id(j).required(),
      reply_id: id(j).required(),
      member_id: memberId(j).required(),
      requested_by: memberId(j).required(),
      node_id: j.number().integer().allow(null).required(),
      title: j.string().allow('').required(),
      status: taskStatus(j).required(),
      reason: j.string().allow(null).required(),
      progress: j.string().allow('', null).required(),
      created_at: time(j).required(),
      started_at: time(j).allow(null).required(),
      finished_at: time(j).allow(null).required(),
      error: fault(j).allow(null).required(),
    })
    .label('Task');

export const run = (j: Joi) =>
  j.object({
    task_id: id(j).required(),
    member_id: memberId(j).required(),
    member_name: j.string().allow('').required(),
    requested_by: memberId(j).required(),
    node_id: j.number().integer().allow(null).required(),
    status: taskStatus(j).required(),
    tool: j.string().allow(null).required(),
    input_tokens: j.number().integer().min(0).required(),
    output_tokens: j.number().integer().min(0).required(),
    created_at: time(j).required(),
    started_at: time(j).allow(null).required(),
  });

export const runDetail = (j: Joi) =>
  run(j)
    .keys({ oversight: j.boolean().required(), message: message(j).allow(null).required(), reply: message(j).allow(null).required() })
    .label('RunDetail');
