import { Injectable } from '@nestjs/common';
import { SecretBox } from '@app/kernel';
import { NoticesService, type Receiver } from '@app/webhooks';
import type { Monitor } from './monitor.entity.js';
import type { ShownReceiver } from './monitor-state.js';

/** Seals the addresses of receivers: anyone who knows one can write there. */
@Injectable()
export class ReceiversService {
  constructor(
    private readonly notices: NoticesService,
    private readonly secretBox: SecretBox,
  ) {}

  /** The columns of a monitor with these receivers. */
  columnsOf(monitorId: string, receivers: readonly Receiver[]): Pick<Monitor, 'notify' | 'receivers'> {
    return {
      notify: receivers.map((receiver) => this.show(receiver)),
      receivers: receivers.length > 0 ? this.secretBox.seal({ receivers }, monitorId) : null,
    };
  }

  /** @throws AppError `secrets_unreadable` */
  open({ id, receivers }: Monitor): readonly Receiver[] {
    return receivers === null ? [] : (this.secretBox.open(receivers, id).receivers as Receiver[]);
  }

  private show(receiver: Receiver): ShownReceiver {
    const { type } = receiver;
    const shown = this.notices.show(receiver);
    if (type !== 'email') return { type, url: shown };
    return { type, to: shown.replace(/^mailto:|#.*$/g, '') };
  }
}
