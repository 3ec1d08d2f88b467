/**
 * Facts of the load test that Mattermost publishes, mattermost-load-test-ng at commit 784dbc17: actions with their frequencies
 * (`loadtest/control/simulcontroller/controller.go`), settings (`config/*.sample.json`) and rules (`config/coordinator.sample.json`).
 * Beside each action stands our counterpart, or why there is none.
 */

/** Action of a person: `ours` is what our client does for it, `none` why it does nothing. A person waits after either. */
type Action = { readonly frequency: number } & ({ readonly ours: string } | { readonly none: string });

const noDrafts = 'drafts stay in the client';
const noBookmarks = 'rooms have no bookmarks';
const noSchedules = 'schedules belong to administrators';
const noFollowing = 'writing in a thread or a mention there follows it; no request does';
const noCategories = 'clients arrange their lists by themselves';

export const actions = {
  SwitchChannel: { frequency: 6.5219, ours: 'opens another room and loads its images, small and whole' },
  SwitchTeam: { frequency: 0.0001, ours: 'reads the unread counts and opens a room; there are no teams' },
  ScrollChannel: { frequency: 1.9873, ours: 'reads 1 to 5 earlier pages of 30 messages' },
  OpenDirectOrGroupChannel: { frequency: 0.9843, ours: 'opens a conversation of two or a small room' },
  UnreadCheck: { frequency: 1, ours: 'lists the sessions and marks the shown one as read' },
  CreatePost: { frequency: 1, ours: 'shows typing and sends a message; 18 % in a thread, 10 % with a mention, 2 % with one or two images' },
  JoinChannel: { frequency: 0.0049, ours: 'lists open rooms and joins one' },
  SearchChannels: { frequency: 0.015, ours: 'searches open rooms with each key, 1 to 4' },
  AddReaction: { frequency: 0.1306, ours: 'adds a reaction' },
  FullReload: { frequency: 0.0008, ours: 'opens a new socket and reads everything again' },
  CreateDirectChannel: { frequency: 0.0055, ours: 'lists members, starts a conversation of two, opens it and sends a message' },
  LogoutLogin: { frequency: 0.0006, ours: 'logs out, logs in with the password and reads everything again' },
  SearchUsers: { frequency: 0.032, ours: 'searches members with each key of a name' },
  SearchPosts: { frequency: 0.0218, ours: 'searches messages; 20 % first look up a sender, 20 % in one room' },
  SearchPostsAllTeams: { frequency: 0.0109, ours: 'searches messages of all rooms' },
  CreatePostReminder: { frequency: 0.0005, none: 'messages have no reminders' },
  EditPost: { frequency: 0.04, ours: 'edits an own message' },
  DeletePost: { frequency: 0.0049, ours: 'deletes an own message' },
  UpdateCustomStatus: { frequency: 0.0028, ours: 'sets the presence to do not disturb; a status has no text' },
  RemoveCustomStatus: { frequency: 0.0026, ours: 'sets the presence to online' },
  CreateSidebarCategory: { frequency: 0.0001, none: noCategories },
  UpdateSidebarCategory: { frequency: 0.004, none: noCategories },
  UpdateCustomAttribute: { frequency: 0.004, ours: "changes the member's settings; members have no further attributes" },
  SearchGroupChannels: { frequency: 0.0204, ours: 'searches the conversations with a member with each key, 1 to 4' },
  CreateGroupChannel: { frequency: 0.0029, ours: 'lists members, creates a private room of three, opens it and sends a message' },
  CreatePrivateChannel: { frequency: 0.0002, ours: 'creates a private room, reads both lists of members and adds 1 to 4' },
  CreatePublicChannel: { frequency: 0.0001, ours: 'creates an open room and reads both lists of members' },
  ViewGlobalThreads: { frequency: 0.6023, ours: 'reads pages of 25 messages that begin threads, room by room; no list spans all rooms' },
  FollowThread: { frequency: 0.0005, none: noFollowing },
  UnfollowThread: { frequency: 0.005, none: noFollowing },
  ViewThread: { frequency: 0.2841, ours: 'reads a thread' },
  MarkAllThreadsInTeamAsRead: { frequency: 0.0001, ours: 'marks the shown room as read, with its threads' },
  UpdateThreadRead: { frequency: 0.3236, ours: 'marks the room of a thread as read, with its threads' },
  CreateAckPost: { frequency: 0.0001, ours: 'sends a message; nobody is asked to acknowledge it' },
  AckToPost: { frequency: 0.0001, none: 'messages are not acknowledged' },
  CreatePersistentNotificationPost: { frequency: 0.0001, ours: 'sends a message with a mention, which notifies once' },
  ClickUserProfile: { frequency: 0.03, ours: 'reads the record of a member' },
  ClickPermalink: { frequency: 0.3, ours: 'follows the last link to a message: reads its thread, room and sessions, and opens the room' },
  ReconnectWebSocket: {
    frequency: 0.144,
    ours: 'opens a new socket after the last frame; reads sessions, unread counts and the shown room',
  },
  GenerateUserReport: { frequency: 0.0001, ours: 'as an administrator, reads all members in pages of 50' },
  UpsertDraft: { frequency: 0.504, ours: 'shows typing, and uploads the files of 2 %; drafts stay in the client' },
  GetDrafts: { frequency: 0.037, none: noDrafts },
  DeleteDraft: { frequency: 1.41, none: noDrafts },
  AddChannelBookmark: { frequency: 0.0003, none: noBookmarks },
  UpdateOrAddChannelBookark: { frequency: 0.0002, none: noBookmarks },
  UpdateChannelBookarkSortOrder: { frequency: 0.0002, none: noBookmarks },
  DeleteChannelBookark: { frequency: 0.0001, none: noBookmarks },
  CreateScheduledPost: { frequency: 0.001, ours: 'writes a draft; schedules belong to administrators' },
  UpdateScheduledPost: { frequency: 0.001, none: noSchedules },
  DeleteScheduledPost: { frequency: 0.001, none: noSchedules },
  SendScheduledPost: { frequency: 0.001, ours: 'sends a message' },
} as const satisfies Readonly<Record<string, Action>>;

export type ActionName = keyof typeof actions;
/** Actions that have a counterpart. */
export type OurAction = { [Name in ActionName]: (typeof actions)[Name] extends { ours: string } ? Name : never }[ActionName];

/** Requests within their actions for which our client sends none. */
export const unneeded: Readonly<Record<string, string>> = {
  'statuses of users, every minute and with pages': 'presence is pushed to every socket',
  'users by ids or names': "messages hold their sender's name",
  'profile pictures and emoji': 'there are none',
  'teams and their members': 'there are no teams',
  'preferences of shown conversations': 'lists are ordered by activity',
  'channel members and counts': 'the record of a session holds them',
  'client settings, roles and plugins': 'the record of the caller holds its rights',
  'measurements of the client, every minute': 'clients report none',
  'static files of the web app': 'browsers keep the files of the app',
  'members of shown group conversations': 'titles name them',
  'acknowledged frames': 'the server counts what a socket has received',
};

/** Settings of a person (`simulcontroller.sample.json`). Plugins' actions are in repositories of their own and not part of it. */
export const person = { min_idle_ms: 1_000, avg_idle_ms: 20_000, replies: 0.18, mentions: 0.1, links: 0.1, permalinks: 0.01, files: 0.02 };

/** Factors by which people wait longer, each with the part of people who have it (`config.sample.json`). */
export const paces = [
  { factor: 1, part: 0.05 },
  { factor: 2, part: 0.1 },
  { factor: 3, part: 0.15 },
  { factor: 6, part: 0.4 },
  { factor: 30, part: 0.3 },
] as const;

/** One person in so many is an administrator (`PercentOfUsersAreAdmin`). */
export const people_per_admin = 2_000;

/** The installation (`config.sample.json`): channels beside the two that everybody in a team is in. */
export const installation = { teams: 2, rooms_of_team: 2, open: 2, private: 1, direct: 6, group: 1 };

/** Limits of one minute; beyond one of them no more people are carried. */
export const rules = { mean_ms: 100, ms_p99: 2_000, errors_percent: 0.025 };

/** People per processor core that Mattermost's published reference architectures carry: the least and the most. */
export const published = { least: 893, most: 2_151 };

const names = Object.keys(actions) as ActionName[];
const total = names.reduce((sum, name) => sum + actions[name].frequency, 0);

/** Picks an action by its frequency. `random` is at least 0 and less than 1. */
export function pickAction(random: number): ActionName {
  let left = random * total;
  for (const name of names) {
    left -= actions[name].frequency;
    if (left < 0) return name;
  }
  return names[0] as ActionName;
}

/** Picks a factor of waiting. */
export function pickPace(random: number): number {
  let left = random;
  for (const { factor, part } of paces) {
    left -= part;
    if (left < 0) return factor;
  }
  return 1;
}

/** Returns the wait between two actions: even from the least up to twice the average, less the least. */
export function idleTime(random: number, factor: number): number {
  const { min_idle_ms, avg_idle_ms } = person;
  return (random * 2 * (avg_idle_ms - min_idle_ms) + min_idle_ms) * factor;
}

/** Lists actions without a counterpart, with their part of all actions. */
export function withoutCounterpart(): { action: string; percent: number; why: string }[] {
  return names.flatMap((action) => {
    const one: Action = actions[action];
    return 'none' in one ? [{ action, percent: (one.frequency / total) * 100, why: one.none }] : [];
  });
}
