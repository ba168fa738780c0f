import { Injectable } from '@nestjs/common';
import { Env } from '@app/config';
import { invalidRequest } from '@app/kernel';
import type { Receiver } from '@app/webhooks';
import { WebhookTargetService } from '../webhooks/webhook-target.service.js';
import type { ReceiverBody } from './receiver.fields.js';

/** Decides who may receive events in words: a chat, if its address may receive webhooks; a mail address, if there is a mail server. */
@Injectable()
export class ReceiverTargetsService {
  constructor(
    private readonly env: Env,
    private readonly targets: WebhookTargetService,
  ) {}

  /**
   * @param notify that has no faults
   * @throws AppError `invalid_request`, `target_forbidden`
   */
  admit(notify: readonly ReceiverBody[]): Receiver[] {
    return notify.map((entry, i) => {
      const { type } = entry;
      if (type !== 'email') return { type, address: this.targets.admit(entry.url, `notify/${i}/url`) };
      if (this.env.SMTP_URL !== undefined) return { type, address: entry.to };
      throw invalidRequest([
        {
          pointer: `/notify/${i}/type`,
          code: 'not_allowed',
          detail:
            'is email, which this service cannot send: its operator has set no SMTP_URL. Use a chat or webhook_url',
        },
      ]);
    });
  }
}
