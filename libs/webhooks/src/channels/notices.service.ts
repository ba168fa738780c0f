import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { newId, SecretBox } from '@app/kernel';
import { DeliveryRepository } from '../delivery.repository.js';
import { laneOf, shownAddress, type NoticeChannel, type Receiver } from './channel.js';
import { discordMessage, slackMessage, teamsMessage } from './chat-messages.js';
import { mailOf } from './mail.js';
import type { Notice } from './notice.js';
import type { Quoting } from '../webhooks.service.js';

/** An event in words, and what it is about. */
export interface NoticeAnnouncement {
  readonly accountId: string;
  readonly subjectId: string;
  /** Such as `monitor.changed`. */
  readonly type: string;
  readonly notice: Notice;
  readonly quoting?: Quoting<Notice> | undefined;
}

const MESSAGES = {
  slack: slackMessage,
  discord: discordMessage,
  teams: teamsMessage,
  email: mailOf,
} as const satisfies Record<NoticeChannel, (notice: Notice) => object>;

/** Tells people of events: in Slack, Discord and Teams, and by mail. */
@Injectable()
export class NoticesService {
  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly secretBox: SecretBox,
  ) {}

  /** Writes a message for each receiver into the outbox, which sends them after the transaction has committed. */
  async announce(
    transaction: Transaction,
    receivers: readonly Receiver[],
    { notice, quoting, ...about }: NoticeAnnouncement,
  ): Promise<void> {
    for (const receiver of receivers) {
      const id = newId();
      const toBody = (saying: Notice): string => JSON.stringify(MESSAGES[receiver.type](saying));
      await this.deliveries.add(transaction, {
        ...about,
        id,
        traceContext: null,
        channel: receiver.type,
        address: this.secretBox.seal({ address: receiver.address }, id),
        url: this.show(receiver),
        host: laneOf(receiver),
        body: toBody(notice),
        ...(quoting && { quotes: [...quoting.captureIds], unquotedBody: toBody(quoting.unquoted) }),
      });
    }
  }

  /** What an account may see of an address. */
  show(receiver: Receiver): string {
    return shownAddress(receiver, (text) => this.secretBox.digest(text));
  }
}
