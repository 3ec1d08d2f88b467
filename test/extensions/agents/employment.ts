import type { Test } from 'tap';
import type { AgentsApi } from '../../../extensions/agents/contract.js';
import { type Client, connect } from '../../../kernel/client/connect.js';
import { direct } from '../../../kernel/client/direct.js';
import type { TestPlatform } from '../../helpers/platform.js';
import { RowReader, type Rows } from '../../operations/bad-input/rows.js';
import { administrator, converse, type PlatformClient } from '../chat/world.js';

/** The administrator as the one who sets up AI employees. */
export function agentsOf(platform: TestPlatform): Client<AgentsApi>['agents'] {
  return connect<AgentsApi>(platform.kernel.operations(), direct(platform.kernel)).agents;
}

/** A new AI employee, and a way to talk with it. */
export async function employ(platform: TestPlatform, name = 'Vic') {
  const { id } = await administrator(platform).members.create_virtual({ name });
  const talk = async (client: PlatformClient, content = 'Hello') => {
    const session = await client.sessions.create({ title: '', target_type: 'ai', target_id: id });
    return converse(client, content, session.id);
  };
  return { member_id: id, talk };
}

/** All that is in the database, as an outsider reads it. */
export async function rowsOf(t: Test, { database_url, data_dir }: TestPlatform): Promise<Rows> {
  const reader = await RowReader.open(database_url, data_dir);
  t.teardown(() => reader.close());
  return reader.read();
}
