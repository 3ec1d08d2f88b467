import { fail as coreFail, type Fault, isFailure, type Secrets } from '../../../kernel/contract/index.js';
import type { ChannelDescription, Directory } from '../channels/directory.js';
import type { ChannelChange, ChannelPreference, Preferences as PreferencesRecord } from '../contract.js';
import type { MemberRows } from '../store/members.js';
import { defaultPreference, type Preference, type StoredPreference } from './preference.js';

interface Parts {
  members: MemberRows;
  directory: Directory;
  secrets: Secrets;
  /** Throws unless outgoing calls may reach a URL. */
  checkUrl: (url: string) => Promise<void>;
}

/** Members' channels, what each delivers, and its settings. Secrets are stored and used, but never shown. */
export class Preferences {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async get(member_id: number): Promise<PreferencesRecord> {
    return this.#toRecord(await this.#parts.members.preferencesOf(member_id));
  }

  /** Omitted channels stay unchanged. Fails with `invalid_input` and every fault; nothing is changed then. */
  async set(member_id: number, changes: Readonly<Record<string, ChannelChange>>): Promise<PreferencesRecord> {
    const { members } = this.#parts;
    // Names are resolved before the transaction.
    const refused = await this.#refusedUrls(changes);
    return members.lock(member_id, async (current) => {
      const faults = [...refused];
      const chosen = new Map(current);
      for (const [name, change] of Object.entries(changes)) {
        const changed = this.#apply(name, { change, current: current.get(name) ?? defaultPreference(name), faults });
        if (changed) chosen.set(name, changed);
      }
      if (faults.length > 0)
        throw coreFail('invalid_input', faults.map(({ path, message }) => `${path}: ${message}`).join('. '), { details: faults });
      await members.savePreferences(member_id, chosen);
      return this.#toRecord(chosen);
    });
  }

  /** Returns the faults of URLs that outgoing calls may not reach. */
  async #refusedUrls(changes: Readonly<Record<string, ChannelChange>>): Promise<Fault[]> {
    const { directory, checkUrl } = this.#parts;
    const urls = Object.entries(changes).flatMap(([name, { settings = {} }]) =>
      (directory.find(name)?.fields ?? [])
        .filter((field) => field.called && settings[field.name] && !field.check(settings[field.name] as string))
        .map((field) => ({ path: `channels.${name}.settings.${field.name}`, url: settings[field.name] as string })),
    );
    const refusals = urls.map(async ({ path, url }): Promise<Fault[]> => {
      const fault = await checkUrl(url).then(() => undefined, refusalOf);
      return fault === undefined ? [] : [{ path, message: fault }];
    });
    return (await Promise.all(refusals)).flat();
  }

  /** Returns the settings for sending; undefined if a secret can't be decrypted. */
  settingsOf({ settings, sealed }: StoredPreference): Record<string, string> | undefined {
    try {
      const decrypted = ([name, text]: [string, string]) => [name, this.#parts.secrets.open(text).toString()] as const;
      return { ...settings, ...Object.fromEntries(Object.entries(sealed).map(decrypted)) };
    } catch {
      return undefined;
    }
  }

  /** Returns the first required setting that is missing. */
  missing({ fields }: ChannelDescription, { settings, sealed }: StoredPreference): ChannelDescription['fields'][number] | undefined {
    return fields.find(({ name, required }) => required && !Object.hasOwn(settings, name) && !Object.hasOwn(sealed, name));
  }

  #apply(name: string, { change, current, faults }: Change): StoredPreference | undefined {
    const path = `channels.${name}`;
    const channel = this.#parts.directory.all.find((each) => each.name === name);
    if (!channel) {
      const names = this.#parts.directory.all.map((one) => one.name).join(', ');
      faults.push({ path, message: `There is no channel '${name}'; available: ${names}` });
      return undefined;
    }
    const { enabled = current.enabled, sources = current.sources, kinds = current.kinds ?? null } = change;
    const changed: StoredPreference = { ...current, enabled, sources, kinds };
    if (change.settings) Object.assign(changed, this.#settings(channel, { input: change.settings, current, path, faults }));
    const missing = changed.enabled ? this.missing(channel, changed) : undefined;
    const at = `${path}.settings.${missing?.name}`;
    // A setting that was given but is wrong is already reported.
    if (missing && !faults.some((fault) => fault.path === at))
      faults.push({ path: at, message: `The channel needs this setting: ${missing.label}` });
    return changed;
  }

  #settings(
    { fields }: ChannelDescription,
    { input, current, path, faults }: PreferenceInput,
  ): Pick<StoredPreference, 'settings' | 'sealed'> {
    const settings: Record<string, string> = {};
    const sealed = { ...current.sealed };
    for (const [name, value] of Object.entries(input)) {
      const field = fields.find((one) => one.name === name);
      const wrong = field ? value !== '' && field.check(value) : `There is no such setting; available: ${namesOf(fields)}`;
      if (wrong) faults.push({ path: `${path}.settings.${name}`, message: wrong });
      else if (!field?.secret) Object.assign(settings, value === '' ? {} : { [name]: value });
      else if (value === '') delete sealed[name];
      else sealed[name] = this.#parts.secrets.seal(Buffer.from(value));
    }
    return { settings, sealed };
  }

  #toRecord(chosen: Preference): PreferencesRecord {
    const channels = this.#parts.directory.all.map((channel) => [channel.name, toRecord(channel, chosen.get(channel.name))] as const);
    return { channels: Object.fromEntries(channels) };
  }
}

/** Returns the reason why a call would be refused: it includes the host and the setting to change. */
function refusalOf(fault: unknown): string | undefined {
  return isFailure(fault) && fault.code === 'fetch_address_refused' ? fault.message : undefined;
}

interface Change {
  change: ChannelChange;
  current: StoredPreference;
  faults: Fault[];
}

interface PreferenceInput {
  input: Readonly<Record<string, string>>;
  current: StoredPreference;
  path: string;
  faults: Fault[];
}

function namesOf(fields: ChannelDescription['fields']): string {
  return fields.length === 0 ? 'none' : fields.map(({ name }) => name).join(', ');
}

/** Returns the stored settings that the channel still doesn't mark as secret. */
function toRecord({ name, fields }: ChannelDescription, chosen = defaultPreference(name)): ChannelPreference {
  const open = fields.filter((field) => !field.secret && Object.hasOwn(chosen.settings, field.name));
  const secret = fields.filter((field) => field.secret);
  return {
    enabled: chosen.enabled,
    sources: chosen.sources,
    kinds: chosen.kinds ?? null,
    settings: Object.fromEntries(open.map((field) => [field.name, chosen.settings[field.name] as string])),
    secrets: Object.fromEntries(secret.map((field) => [field.name, Object.hasOwn(chosen.sealed, field.name)])),
  };
}
