/** How an event reaches its receiver: as a signed request of ours, as a message in a chat, or as a mail. */
export const CHANNELS = ['webhook', 'slack', 'discord', 'teams', 'email'] as const;
export type Channel = (typeof CHANNELS)[number];

/** The channels that carry words for people. */
export type NoticeChannel = Exclude<Channel, 'webhook'>;

/** A receiver of events in words. */
export interface Receiver {
  readonly type: NoticeChannel;
  /** The address of an incoming webhook, or a mail address. Anyone who knows it can write there. */
  readonly address: string;
}

/** Characters of the digest of an address: enough for the addresses of one account to differ. */
const DIGEST_LENGTH = 12;

/**
 * What an account sees of an address, and what its deliveries are found by: the host, and a digest that tells two addresses at
 * one host apart.
 *
 * @param digest such as `SecretBox.digest`, which nobody else can compute
 */
export function shownAddress({ type, address }: Receiver, digest: (text: string) => Buffer): string {
  const end = digest(address).toString('hex').slice(0, DIGEST_LENGTH);
  if (type === 'email') return `mailto:${address.slice(0, 1)}…@${laneOf({ type, address })}#${end}`;
  return `${new URL(address).origin}/[redacted]#${end}`;
}

/** The host that deliveries to this address share: of an address for mail, its domain. */
export function laneOf({ type, address }: Receiver): string {
  return type === 'email' ? address.slice(address.lastIndexOf('@') + 1).toLowerCase() : new URL(address).host;
}
