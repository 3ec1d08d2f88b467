import { type Channel, type Delivery, isUndelivered, Undelivered } from './channel.js';

/** The same channel, which sends nothing with settings that are wrong and throws {@link Undelivered} alone. */
export function checked(channel: Channel): Channel {
  return {
    ...channel,
    async send(delivery) {
      const settings = present(delivery.settings);
      const fault = faultOf(channel, settings);
      if (fault !== undefined) throw new Undelivered(fault, { retry: false });
      if (delivery.signal.aborted) throw new Undelivered(`The delivery by ${channel.title} was stopped`);
      try {
        await channel.send({ ...delivery, settings });
      } catch (thrown) {
        if (isUndelivered(thrown)) throw thrown;
        throw new Undelivered(`${channel.title} failed in a way that was not foreseen; the log tells more`, { cause: thrown });
      }
    },
  };
}

function present(settings: Delivery['settings']): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== ''));
}

/** They were checked when they were set, perhaps by an earlier version. */
function faultOf({ fields, title }: Channel, settings: Delivery['settings']): string | undefined {
  for (const { name, label, required, check } of fields) {
    const value = settings[name];
    if (value === undefined && required) return `${title} needs '${label}', which is not set`;
    const fault = value === undefined ? undefined : check(value);
    if (fault !== undefined) return `'${label}' of ${title} is wrong: ${fault}`;
  }
  return undefined;
}
