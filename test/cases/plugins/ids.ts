/** An id that a plugin wants, and whether it may have it. */
export interface IdCase {
  name: string;
  source: string;
  id: string;
  reserved: boolean;
}

const forged = 'listeners believe a topic by its first word';
const named = 'operations of one first word are read as one service';
const pathed = 'paths of one first word are read as one service';

export const idCases: readonly IdCase[] = [
  { name: 'the topic plugins.failed of the kernel', source: forged, id: 'plugins', reserved: true },
  { name: 'an id below plugins', source: forged, id: 'plugins.more', reserved: true },
  { name: 'logins are at /api/auth', source: pathed, id: 'auth', reserved: true },
  { name: 'conversations, called sessions', source: named, id: 'sessions', reserved: true },
  { name: 'personal tokens', source: named, id: 'tokens', reserved: true },
  { name: 'notes about unread messages', source: named, id: 'unread', reserved: true },
  { name: 'contacts', source: named, id: 'contacts', reserved: true },
  { name: 'approvals', source: named, id: 'approvals', reserved: true },
  { name: 'tasks', source: named, id: 'tasks', reserved: true },
  { name: 'the frames of messages', source: forged, id: 'message', reserved: true },
  { name: 'the frames of tasks', source: forged, id: 'task.runner', reserved: true },
  { name: 'the catalog', source: named, id: 'catalog', reserved: true },
  { name: 'maintenance', source: named, id: 'maintenance', reserved: true },
  { name: 'the audit trail', source: named, id: 'audit', reserved: true },
  { name: 'work nodes by their path', source: pathed, id: 'remote-nodes', reserved: true },
  { name: 'administration', source: pathed, id: 'admin', reserved: true },
  { name: 'the OpenAI door', source: pathed, id: 'v1', reserved: true },
  { name: 'the MCP door', source: pathed, id: 'mcp', reserved: true },
  { name: 'a channel of the platform', source: 'channels are chosen by name', id: 'webhook', reserved: true },
  { name: 'provisioning', source: pathed, id: 'scim', reserved: true },
  { name: 'files', source: named, id: 'files', reserved: true },
  { name: 'rooms', source: named, id: 'rooms', reserved: true },
  { name: 'invitations', source: named, id: 'invitations', reserved: true },
  { name: 'logins of devices', source: pathed, id: 'device', reserved: true },
  { name: 'single sign-on', source: pathed, id: 'oidc', reserved: true },
  {
    name: 'a word of the platform at the beginning of another word is free',
    source: 'only whole words are read',
    id: 'authenticator',
    reserved: false,
  },
  { name: 'a word of the platform after a dot is free', source: 'only first words are read', id: 'acme.plugins', reserved: false },
];
