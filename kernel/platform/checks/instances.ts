import type { CheckResult } from '../../contract/extension.js';
import type { Data } from '../data/hub.js';

export interface InstancesParts {
  data: Pick<Data, 'dialect' | 'facade'>;
  /** This one's id. */
  instance: string;
  /** Whether others are reached. */
  clustered: boolean;
  /** Whether this is one that others count on, and no command that ends with its work. */
  serves: boolean;
}

/** As `openData` calls an instance's connections to PostgreSQL; those of a command that ends with its work are called otherwise. */
const others = `SELECT count(DISTINCT application_name) AS found FROM pg_stat_activity
  WHERE datname = current_database() AND application_name LIKE 'platform %' AND application_name <> $1`;

/** Whether the instances that work on one database hear of each other. SQLite has one alone. */
export async function instancesJoined({ data, instance, clustered, serves }: InstancesParts): Promise<CheckResult | undefined> {
  if (data.dialect === 'sqlite') return undefined;
  const [row] = await data.facade('kernel').rows<{ found: number }>(others, [`platform ${instance}`]);
  const found = Number(row?.found ?? 0);
  const told =
    found === 0 ? 'No other instance works on this database' : `${found} more ${found === 1 ? 'works' : 'work'} on this database`;
  if (clustered || found + (serves ? 1 : 0) < 2) return { ok: true, message: told };
  const message = `${told}, and nothing joins them: what one does the others learn late or never`;
  return { ok: false, message, fix: 'give all of them the same PLATFORM_BUS_URL=redis://host' };
}
