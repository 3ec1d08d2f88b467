import type { Database } from '../../../kernel/contract/index.js';
import type { MemberSettings } from '../contract.js';
import { read } from './sql.js';

/** The table `members_settings`. */
export class SettingsStore {
  readonly #db: Database;
  readonly #of;

  constructor(db: Database) {
    this.#db = db;
    this.#of = read<MemberSettings>(db, 'SELECT language, zone, theme FROM members_settings WHERE member_id = $1');
  }

  async of(member_id: number): Promise<MemberSettings | undefined> {
    const [row] = await this.#of(member_id);
    return row;
  }

  async set(member_id: number, { language, zone, theme }: MemberSettings): Promise<void> {
    const sql = `INSERT INTO members_settings (member_id, language, zone, theme) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (member_id) DO UPDATE SET language = excluded.language, zone = excluded.zone, theme = excluded.theme`;
    await this.#db.run(sql, [member_id, language, zone, theme]);
  }
}
