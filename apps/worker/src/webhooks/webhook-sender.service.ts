import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Env } from '@app/config';
import { pause, WakeUp } from '@app/kernel';
import { OutboxService, type ClaimedDelivery } from '@app/webhooks';
import { WebhookDeliveryService } from './webhook-delivery.service.js';

/** Finds deliveries that become due by their schedule, and those whose notification was missed. */
const POLL_MS = 1_000;

/** Minimum time between two claims, so that a few claims answer a burst of notifications. */
const PAUSE_MS = 25;

/** Concurrent attempts of one worker. They mostly wait for the network, so there may be many. */
const PARALLEL = 64;

/** Attempts in progress get this long at shutdown, then they are returned. The captures have used their grace by then. */
const GRACE_MS = 5_000;

/** Sends the deliveries of the outbox. Each worker runs one sender. */
@Injectable()
export class WebhookSenderService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(WebhookSenderService.name);
  private readonly closing = new AbortController();
  private readonly graceOver = new AbortController();
  private readonly attempts = new Set<Promise<void>>();
  private readonly wakeUp = new WakeUp();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly outbox: OutboxService,
    private readonly deliveries: WebhookDeliveryService,
    private readonly env: Env,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.outbox.listen(this.wakeUp.notify);
    this.running = this.run(this.closing.signal);
  }

  /** Claims nothing more and waits for the attempts in progress; those that outlast the grace are returned. */
  async beforeApplicationShutdown(): Promise<void> {
    this.closing.abort();
    const timer = setTimeout(
      () => {
        this.graceOver.abort();
      },
      Math.min(GRACE_MS, this.env.SHUTDOWN_GRACE_MS),
    );
    await this.running;
    await Promise.all(this.attempts);
    clearTimeout(timer);
  }

  private async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.claim();
      await pause(PAUSE_MS, signal);
      await this.wakeUp.wait(signal, POLL_MS);
    }
  }

  private async claim(): Promise<void> {
    const free = PARALLEL - this.attempts.size;
    if (free === 0) return;
    try {
      for (const delivery of await this.outbox.claim(free)) this.begin(delivery);
    } catch (error) {
      this.logger.warn({ err: error }, 'due webhooks could not be claimed; the next poll tries again');
    }
  }

  private begin(delivery: ClaimedDelivery): void {
    const attempt = this.deliveries
      .attempt(delivery, this.graceOver.signal)
      .catch((error: unknown) => {
        this.logger.warn({ err: error, webhook_id: delivery.id }, 'a webhook could not be attempted');
      })
      .finally(() => {
        this.attempts.delete(attempt);
        // Frees a place here, and in the limits of its lane and its account.
        this.wakeUp.notify();
      });
    this.attempts.add(attempt);
  }
}
