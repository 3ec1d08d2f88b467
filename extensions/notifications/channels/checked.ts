import { type Channel, type Delivery, isUndelivered, Undelivered } from './channel.js';

/** Wraps a channel so that it sends nothing if its settings are wrong, and throws only {@link Undelivered}. */
export function withChecks(channel: Channel): Channel {
  return {
    ...channel,
    async send(delivery) {
      const settings = withoutEmpty(delivery.settings);
      const fault = faultOf(channel, settings);
      if (fault !== undefined) throw new Undelivered(fault, { retry: false });
      if (delivery.signal.aborted) throw new Undelivered(`The delivery through ${channel.title} was cancelled`);
      try {
        await channel.send({ ...delivery, settings });
      } catch (thrown) {
        if (isUndelivered(thrown)) throw thrown;
        throw new Undelivered(`${channel.title} failed unexpectedly; see the server log`, { cause: thrown });
      }
    },
  };
}

function withoutEmpty(settings: Delivery['settings']): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== ''));
}

/** The settings were checked when they were saved, but perhaps by an older version. */
function faultOf({ fields, title }: Channel, settings: Delivery['settings']): string | undefined {
  for (const { name, label, required, check } of fields) {
    const value = settings[name];
    if (value === undefined && required) return `${title} requires '${label}', which is not set`;
    const fault = value === undefined ? undefined : check(value);
    if (fault !== undefined) return `'${label}' of ${title} is wrong: ${fault}`;
  }
  return undefined;
}
