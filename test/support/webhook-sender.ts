import { WebhookSenderModule } from '../../apps/worker/src/webhooks/webhook-sender.module.js';
import type { TestDatabase } from './database.js';
import { startModules, type Settings, type StartedModules } from './modules.js';

/** The part of a worker that sends webhooks, beside an API of the test. */
export async function startWebhookSender(
  database: TestDatabase,
  settings: Settings,
): Promise<StartedModules> {
  const sender = await startModules({
    database,
    imports: [WebhookSenderModule],
    settings: { SHUTDOWN_GRACE_MS: '0', ...settings },
  });
  sender.app.useLogger(false);
  return sender;
}
