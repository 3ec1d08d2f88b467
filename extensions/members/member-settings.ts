import { fail as coreFail, isTimeZone } from '../../kernel/contract/index.js';
import { fail } from './codes.js';
import type { MemberSettings } from './contract.js';
import type { Store } from './store.js';

const unset: MemberSettings = { language: null, zone: null, theme: null };

/** Stores the settings that members choose: language, time zone and theme. */
export class MemberSettingsService {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async of(member_id: number): Promise<MemberSettings> {
    const settings: MemberSettings | null = await this.#store.settings.findByPk(member_id, {
      attributes: { exclude: ['member_id'] },
      raw: true,
    });
    return { ...unset, ...settings };
  }

  /** Changes settings. Omitted ones stay; null removes one. */
  async change(member_id: number, { language, zone, theme }: Partial<MemberSettings>): Promise<MemberSettings> {
    const details = [
      ...(language == null || localeOf(language) ? [] : [{ path: 'language', message: wrongLanguage(language) }]),
      ...(zone == null || isTimeZone(zone) ? [] : [{ path: 'zone', message: wrongZone(zone) }]),
    ];
    if (details.length > 0) throw coreFail('invalid_input', details.map(({ message }) => message).join('; '), { details });
    return this.#store.transaction(async () => {
      // Lock the member, so that concurrent changes are merged.
      if (!(await this.#store.members.lock(member_id))) throw fail('member_not_found', `There is no member ${member_id}`);
      const before = await this.of(member_id);
      const after: MemberSettings = {
        language: language === undefined ? before.language : language && (localeOf(language) ?? null),
        zone: zone === undefined ? before.zone : zone,
        theme: theme === undefined ? before.theme : theme,
      };
      await this.#store.settings.upsert({ member_id, ...after });
      return after;
    });
  }
}

/** Returns the canonical form of a BCP 47 language tag; undefined if it is not one. */
function localeOf(language: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(language)[0];
  } catch {
    return undefined;
  }
}

function wrongLanguage(language: string): string {
  return `'${language}' is not a language tag (BCP 47), such as en or zh-CN`;
}

function wrongZone(zone: string): string {
  return `Unknown time zone '${zone}'; use a name from the time zone database, such as Europe/Berlin or UTC`;
}
