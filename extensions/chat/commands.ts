import type { CommandHint } from '../../kernel/contract/index.js';

const sessionColumns = ['id', 'title', 'target_type', 'unread_count', 'last_message_at', 'last_message_preview'];
const messageColumns = ['created_at', 'sender_name', 'status', 'content'];
const contactColumns = ['member_id', 'nickname', 'is_virtual', 'presence', 'unread_count', 'last_message_at', 'session_id'];
const runColumns = ['task_id', 'member_name', 'requested_by', 'status', 'tool', 'input_tokens', 'output_tokens', 'started_at'];
const taskColumns = ['id', 'status', 'reason', 'title', 'created_at', 'started_at'];

const reply = {
  delta: 'message.delta',
  whole: 'message.content',
  aside: 'reasoning.delta',
  tools: true,
  approvals: true,
  notices: {
    'message.notice': 'Note: {notice.message}',
    'node.awaited': 'Waiting for node {node_id} ({reason}); it starts when the node is ready. To stop it: platform chat cancel {task_id}',
  },
};

/** Commands for the operations. */
export const commands: readonly CommandHint[] = [
  {
    operation: 'chat.send',
    refers: { session_id: 'session', target_id: 'member' },
    command: 'chat send',
    arguments: ['content'],
    columns: ['message_id', 'session_id', 'task_id'],
    follow: { operation: 'messages.stream', input: ['message_id'] },
    example: 'platform chat send --follow "What can you do?"',
  },
  { operation: 'chat.usage', command: 'member usage', columns: ['bytes', 'quota_bytes'] },
  { operation: 'messages.stream', refers: { message_id: 'message' }, command: 'chat follow', arguments: ['message_id'], text: reply },
  {
    operation: 'chat.abort',
    refers: { message_id: 'message' },
    command: 'chat abort',
    arguments: ['message_id'],
    columns: ['aborted', 'status'],
  },
  {
    operation: 'messages.list',
    refers: { session_id: 'session' },
    command: 'chat messages',
    arguments: ['session_id'],
    columns: messageColumns,
  },
  {
    operation: 'messages.search',
    refers: { session_id: 'session' },
    command: 'chat search',
    arguments: ['q'],
    columns: ['session_id', ...messageColumns],
    example: "platform chat search 'quarterly report'",
  },
  {
    operation: 'messages.get',
    refers: { message_id: 'message' },
    command: 'chat message',
    arguments: ['message_id'],
    columns: messageColumns,
  },
  {
    operation: 'messages.edit',
    refers: { message_id: 'message' },
    command: 'chat edit',
    arguments: ['message_id', 'content'],
    columns: messageColumns,
    example: "platform chat edit 018f2c6e-0000-7000-8000-000000000000 'On Tuesday, not Monday'",
  },
  {
    operation: 'messages.delete',
    refers: { message_id: 'message' },
    command: 'chat delete-message',
    arguments: ['message_id'],
    confirm: 'Delete message {message_id}? This cannot be undone.',
  },
  { operation: 'sessions.list', command: 'chat sessions', columns: sessionColumns },
  {
    operation: 'sessions.create',
    refers: { target_id: 'member' },
    command: 'chat open',
    arguments: ['title'],
    columns: sessionColumns,
    example: "platform chat open 'Plans for March'",
  },
  {
    operation: 'sessions.get',
    refers: { session_id: 'session' },
    command: 'chat session',
    arguments: ['session_id'],
    columns: sessionColumns,
  },
  {
    operation: 'sessions.delete',
    refers: { session_id: 'session' },
    command: 'chat delete',
    arguments: ['session_id'],
    confirm: 'Delete {session_id} with all its messages? This cannot be undone.',
  },
  {
    operation: 'sessions.members',
    refers: { session_id: 'session' },
    command: 'chat members',
    arguments: ['session_id'],
    columns: ['member_id', 'nickname', 'is_guest'],
  },
  {
    operation: 'sessions.add_member',
    refers: { session_id: 'session', member_id: 'member' },
    command: 'chat add-plugin',
    arguments: ['session_id', 'member_id'],
    columns: ['member_id', 'nickname'],
    confirm: 'Let {member_id} read all of {session_id} and write in it?',
  },
  {
    operation: 'sessions.remove_member',
    refers: { session_id: 'session', member_id: 'member' },
    command: 'chat remove-plugin',
    arguments: ['session_id', 'member_id'],
    confirm: 'Remove {member_id} from {session_id}? It can no longer read or write there.',
  },
  { operation: 'sessions.stream', refers: { session_id: 'session' }, command: 'chat watch', arguments: ['session_id'] },
  {
    operation: 'unread.mark_read',
    refers: { session_id: 'session' },
    command: 'chat read',
    arguments: ['session_id'],
    columns: ['session_id', 'unread_count'],
  },
  { operation: 'contacts.list', command: 'chat contacts', columns: contactColumns },
  {
    operation: 'contacts.start',
    refers: { member_id: 'member' },
    command: 'chat start',
    arguments: ['member_id'],
    columns: ['session_id', 'created'],
  },
  { operation: 'runs.list', refers: { member_id: 'employee' }, command: 'chat runs', columns: runColumns },
  { operation: 'runs.get', refers: { task_id: 'run' }, command: 'chat run', arguments: ['task_id'], columns: runColumns },
  {
    operation: 'runs.abort',
    refers: { task_id: 'run' },
    command: 'chat stop-run',
    arguments: ['task_id'],
    columns: ['aborted', 'status'],
    confirm: 'Stop {task_id}?',
  },
  {
    operation: 'images.get',
    command: 'chat image',
    arguments: ['hash'],
    example: 'platform chat image 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 --out picture.png',
  },
  { operation: 'tasks.active', command: 'chat tasks', columns: taskColumns },
  { operation: 'tasks.get', refers: { task_id: 'task' }, command: 'chat task', arguments: ['task_id'], columns: taskColumns },
  {
    operation: 'tasks.cancel',
    refers: { task_id: 'task' },
    command: 'chat cancel',
    arguments: ['task_id'],
    columns: ['cancelled', 'status'],
  },
  {
    operation: 'tasks.message',
    refers: { task_id: 'task' },
    command: 'chat tell',
    arguments: ['task_id', 'content'],
    columns: ['message_id', 'task_id'],
    example: "platform chat tell 018f2c6e-0000-7000-8000-000000000000 'Make it shorter'",
  },
  { operation: 'tasks.stream', refers: { task_id: 'task' }, command: 'chat follow-task', arguments: ['task_id'], text: reply },
];
