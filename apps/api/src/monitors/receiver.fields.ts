import { addressFault } from '@app/capture';
import { Text, type Variants } from '@app/kernel';

/** Receivers of one monitor. */
export const MAX_RECEIVERS = 10;

const MAX_ADDRESS_LENGTH = 254;

/** An address as mail servers take it, without a name, a comment or a list. */
const MAIL_ADDRESS = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z0-9-]{2,63}$/;

/** A chat that takes messages by incoming webhooks. */
class ChatFields {
  @Text('The address of an incoming webhook. It is stored encrypted, and not shown again.', {
    max: 2_048,
    secret: true,
    check: (text: string) => addressFault(text),
    example: 'https://hooks.slack.com/services/T000/B000/XXXX',
  })
  url?: string;
}

class MailFields {
  @Text('A mail address. It is stored encrypted, and not shown again.', {
    max: MAX_ADDRESS_LENGTH,
    secret: true,
    check: (text: string) => (MAIL_ADDRESS.test(text) ? undefined : 'must be one mail address'),
    example: 'ada@example.com',
  })
  to?: string;
}

/** The kinds of receivers of events in words. */
export const RECEIVER_VARIANTS: Variants = {
  slack: { fields: ChatFields, required: ['url'], doc: 'A channel of Slack, by an incoming webhook.' },
  discord: { fields: ChatFields, required: ['url'], doc: 'A channel of Discord, by a webhook.' },
  teams: {
    fields: ChatFields,
    required: ['url'],
    doc: 'A channel of Teams, by a workflow that takes webhooks.',
  },
  email: { fields: MailFields, required: ['to'], doc: 'A mail. The operator must have set `SMTP_URL`.' },
};

/** An entry of `notify` that has no faults. */
export type ReceiverBody =
  | { readonly type: 'slack' | 'discord' | 'teams'; readonly url: string }
  | { readonly type: 'email'; readonly to: string };
