import type { CommandHint } from '../../kernel/contract/index.js';

const columns = ['id', 'created_at', 'source', 'status', 'count', 'title'];

/** The commands of the operations. */
export const commands: readonly CommandHint[] = [
  { operation: 'notifications.list', command: 'notification list', columns },
  {
    operation: 'notifications.get',
    command: 'notification show',
    arguments: ['id'],
    columns: [...columns, 'summary', 'link', 'im_channel', 'error', 'read_at'],
  },
  {
    operation: 'notifications.send',
    refers: { member_ids: 'member' },
    command: 'notification send',
    arguments: ['title', 'summary'],
    columns: ['notification_ids'],
    confirm: false,
    example: 'platform notification send "Backup done" "All 12 tables"',
  },
  {
    operation: 'notifications.send',
    refers: { member_ids: 'member' },
    command: 'notify',
    arguments: ['title', 'summary'],
    flags: { member_ids: 'to' },
    columns: ['notification_ids'],
    confirm: false,
    example: 'platform notify "Lunch" "The table is booked." --to 1',
  },
  {
    operation: 'notifications.read',
    command: 'notification read',
    columns: ['updated', 'unread'],
    example: 'platform notification read --notification-ids 1,2',
  },
  { operation: 'notifications.unread_count', command: 'notification unread', columns: ['unread'] },
  { operation: 'notifications.channels', command: 'notification channels', columns: ['name', 'title', 'fields'] },
  { operation: 'notifications.preferences', command: 'notification preferences' },
  {
    operation: 'notifications.set_preferences',
    command: 'notification choose',
    example: `platform notification choose --channels '{"webhook": {"enabled": true, "settings": {"url": "https://example.org/hook"}}}'`,
  },
  {
    operation: 'notifications.test_channel',
    command: 'notification test',
    arguments: ['channel'],
    columns: ['channel', 'accepted', 'error', 'duration_ms'],
    confirm: false,
    success: 'accepted',
    example: 'platform notification test webhook',
  },
];
