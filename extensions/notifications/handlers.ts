import { type Caller, fail, type Handlers, mayAdminister } from '../../kernel/contract/index.js';
import type { Directory } from './channels/directory.js';
import type { NotificationsApi, SendInput, Source } from './contract.js';
import type { ChannelTester } from './deliveries/channel-tester.js';
import type { Notifier } from './notifier.js';
import type { Preferences } from './preferences/preferences.js';
import type { Service } from './service.js';

interface HandlerParts {
  service: Service;
  notifier: Notifier;
  preferences: Preferences;
  directory: Directory;
  channelTester: ChannelTester;
}

/** Maps each operation to its function. */
export function handlersOf({ service, notifier, preferences, directory, channelTester }: HandlerParts): Handlers<NotificationsApi> {
  return {
    'notifications.list': (query, { caller }) => service.list(caller.member_id, query),
    'notifications.get': ({ id }, { caller }) => service.get(id, caller.member_id),
    'notifications.read': (input, { caller }) => service.read(caller.member_id, input),
    'notifications.unread_count': (_input, { caller }) => service.unread(caller.member_id),
    'notifications.preferences': (_input, { caller }) => preferences.get(caller.member_id),
    'notifications.set_preferences': ({ channels }, { caller }) => preferences.set(caller.member_id, channels),
    'notifications.channels': () => directory.records(),
    'notifications.test_channel': ({ channel }, { caller, signal }) => channelTester.run(caller.member_id, channel, signal),
    'notifications.send': async (input, { caller }) => ({
      notification_ids: await notifier.notify({ ...input, to: receiversOf(input, caller), source: sourceOf(caller) }),
    }),
  };
}

/** Returns who is notified, each once: the caller if nobody is named. Only administrators may name others. */
function receiversOf({ member_ids = [] }: SendInput, caller: Caller): number[] {
  const { member_id } = caller;
  if (member_ids.length === 0) return [member_id];
  if (!mayAdminister(caller) && member_ids.some((id) => id !== member_id))
    throw fail('forbidden', 'Only administrators may notify others; leave member_ids out to notify yourself');
  return [...new Set(member_ids)];
}

/** Returns the notification's source by the caller's door: AI employees send through a tool. */
function sourceOf({ door }: Caller): Source {
  if (door === 'schedule') return 'schedule';
  return door === 'tool' ? 'ai_message' : 'system';
}
