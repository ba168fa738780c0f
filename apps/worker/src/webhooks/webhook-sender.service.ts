import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Env } from '@app/config';
import { pause, WakeUp } from '@app/kernel';
import { OutboxService, type HeldDelivery } from '@app/webhooks';
import { WebhookDeliveryService } from './webhook-delivery.service.js';

/** Behind the notifications: what was missed, and what falls due by its schedule, is found at the latest after this. */
const POLL_MS = 1_000;

/** Least time between two looks: a burst of notifications is answered by a few, not by one each. */
const PAUSE_MS = 25;

/** Tries that one worker has under way at once. They only wait, so there may be many. */
const PARALLEL = 64;

/** A try that has not ended by then hangs, and is given back; the captures have had the grace already. */
const GRACE_MS = 5_000;

/** Works the outbox off. Each worker runs one. */
@Injectable()
export class WebhookSenderService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(WebhookSenderService.name);
  private readonly closing = new AbortController();
  private readonly graceOver = new AbortController();
  private readonly tries = new Set<Promise<void>>();
  private readonly wakeUp = new WakeUp();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly outbox: OutboxService,
    private readonly deliverWebhook: WebhookDeliveryService,
    private readonly env: Env,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.outbox.listen(this.wakeUp.notify);
    this.running = this.run(this.closing.signal);
  }

  /** Takes nothing new and waits for what is under way; what hangs is given back. */
  async beforeApplicationShutdown(): Promise<void> {
    this.closing.abort();
    const timer = setTimeout(
      () => {
        this.graceOver.abort();
      },
      Math.min(GRACE_MS, this.env.SHUTDOWN_GRACE_MS),
    );
    await this.running;
    await Promise.all(this.tries);
    clearTimeout(timer);
  }

  private async run(closing: AbortSignal): Promise<void> {
    while (!closing.aborted) {
      await this.fill();
      await pause(PAUSE_MS, closing);
      await this.wakeUp.wait(closing, POLL_MS);
    }
  }

  private async fill(): Promise<void> {
    const free = PARALLEL - this.tries.size;
    if (free === 0) return;
    try {
      for (const delivery of await this.outbox.claim(free)) this.begin(delivery);
    } catch (error) {
      this.logger.warn({ err: error }, 'due webhooks could not be taken; the next round tries again');
    }
  }

  private begin(delivery: HeldDelivery): void {
    const made = this.deliverWebhook
      .run(delivery, this.graceOver.signal)
      .catch((error: unknown) => {
        this.logger.warn({ err: error, webhook_id: delivery.id }, 'a webhook could not be tried');
      })
      .finally(() => {
        this.tries.delete(made);
        // Its place is free, and so is its turn.
        this.wakeUp.notify();
      });
    this.tries.add(made);
  }
}
