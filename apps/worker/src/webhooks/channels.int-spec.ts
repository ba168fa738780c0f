import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { DatabaseService } from '@app/database';
import { newId } from '@app/kernel';
import {
  DeliveryRepository,
  NoticesModule,
  NoticesService,
  WebhooksModule,
  type Notice,
  type Receiver,
  type WebhookDelivery,
} from '@app/webhooks';
import { createDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { eventually } from '../../../../test/support/eventually.js';
import { MailReceiver } from '../../../../test/support/mail-receiver.js';
import { startModules } from '../../../../test/support/modules.js';
import { WebhookReceiver } from '../../../../test/support/webhook-receiver.js';
import { WebhookSenderModule } from './webhook-sender.module.js';

const NOTICE: Notice = {
  title: 'pricing has changed: Price: €149 → €139',
  mood: 'news',
  url: 'https://example.com/pricing',
  lines: ['− Price: €149', '+ Price: €139'],
  pictures: [],
};

describe('messages to people', () => {
  let database: TestDatabase;
  let chats: WebhookReceiver;
  let mails: MailReceiver;
  let sender: INestApplicationContext;
  let accountId: string;

  beforeAll(async () => {
    database = await createDatabase();
    accountId = await database.addAccount();
  });

  afterAll(() => database.drop());

  beforeEach(async () => {
    chats = new WebhookReceiver();
    await chats.open();
    mails = new MailReceiver();
    await mails.open();
    sender = await start({ SMTP_URL: mails.url, SMTP_FROM: 'Captures <capture@service.test>' });
  });

  afterEach(async () => {
    await sender.close();
    await chats.close();
    await mails.close();
    await database.query('TRUNCATE webhook_deliveries, webhook_stops');
  });

  const start = async (settings: Record<string, string>): Promise<INestApplicationContext> => {
    const { app } = await startModules({
      database,
      imports: [NoticesModule, WebhooksModule, WebhookSenderModule],
      settings: { EGRESS_ALLOW: `127.0.0.1:${chats.port}`, SHUTDOWN_GRACE_MS: '0', ...settings },
    });
    app.useLogger(false);
    return app;
  };

  const tell = async (...receivers: Receiver[]): Promise<string> => {
    const subjectId = newId();
    const event = { accountId, subjectId, type: 'monitor.changed', notice: NOTICE };
    await sender
      .get(DatabaseService)
      .transaction((transaction) => sender.get(NoticesService).announce(transaction, receivers, event));
    return subjectId;
  };

  const becomes = async (subjectId: string, state: string): Promise<WebhookDelivery> => {
    const deliveries = sender.get(DeliveryRepository);
    await eventually(`the delivery is ${state}`, async () => {
      return (await deliveries.findOfSubject(subjectId))?.state === state;
    });
    const found = await deliveries.findOfSubject(subjectId);
    if (!found) throw new Error('There is no delivery.');
    return found;
  };

  const attempted = async (subjectId: string, times: number): Promise<WebhookDelivery> => {
    const deliveries = sender.get(DeliveryRepository);
    await eventually(`the delivery was attempted ${times} times`, async () => {
      return (await deliveries.findOfSubject(subjectId))?.attempts === times;
    });
    return (await deliveries.findOfSubject(subjectId)) as WebhookDelivery;
  };

  const makeDue = async (): Promise<void> => {
    await database.query(`UPDATE webhook_deliveries SET next_attempt_at = now() WHERE state = 'pending'`);
    await database.query(`NOTIFY webhook_waiting`);
  };

  it.each(['slack', 'discord', 'teams'] as const)('are posted to %s, without a signature', async (type) => {
    const subjectId = await tell({ type, address: chats.url('/hook/T0/secret') });
    const { channel, body, url } = await becomes(subjectId, 'delivered');
    const [received, ...more] = chats.received;
    expect(more).toEqual([]);
    expect(received).toMatchObject({ path: '/hook/T0/secret', body });
    expect(received?.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(Object.keys(received?.headers ?? {}).filter((name) => name.startsWith('webhook-'))).toEqual([]);
    expect([channel, body.includes('Price: €139')]).toEqual([type, true]);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\[redacted\]#[0-9a-f]{12}$/);
  });

  it('keep the address sealed in every table', async () => {
    await tell(
      { type: 'slack', address: chats.url('/hook/T0/secret') },
      { type: 'email', address: 'ada@people.test' },
    );
    const { rows } = await database.query<{ row: string }>(
      `SELECT webhook_deliveries::text AS row FROM webhook_deliveries`,
    );
    const sealed = rows.map(({ row }) => row).join('\n');
    expect(rows).toHaveLength(2);
    expect(sealed).not.toContain('T0/secret');
    expect(sealed).not.toContain(Buffer.from('T0/secret').toString('hex'));
    expect(sealed).not.toContain('ada@');
  });

  it('are retried when the chat is down, and given up when the address is gone', async () => {
    chats.answer('/hook', 503);
    const subjectId = await tell({ type: 'teams', address: chats.url('/hook') });
    expect(await attempted(subjectId, 1)).toMatchObject({ state: 'pending', log: [{ status: 503 }] });
    chats.answer('/hook', 410);
    await makeDue();
    expect((await becomes(subjectId, 'stopped')).log.at(-1)).toMatchObject({ status: 410 });
    const later = await tell({ type: 'teams', address: chats.url('/hook') });
    expect(await becomes(later, 'stopped')).toMatchObject({ attempts: 0 });
    // Another address at the same host is another receiver.
    await becomes(await tell({ type: 'teams', address: chats.url('/other') }), 'delivered');
  });

  it('stop when Slack says that it does not know the address any more', async () => {
    chats.answer('/hook', 404);
    await becomes(await tell({ type: 'slack', address: chats.url('/hook') }), 'stopped');
  });

  it('go to no address that is not public', async () => {
    const subjectId = await tell({ type: 'slack', address: 'http://127.0.0.1:1/hook' });
    const { log } = await attempted(subjectId, 1);
    expect(log).toMatchObject([{ status: null, error: 'The URL is not a public web address.' }]);
  });

  it('arrive as mails, from the operator, with text and HTML', async () => {
    const subjectId = await tell({ type: 'email', address: 'ada@people.test' });
    const { id, url, log } = await becomes(subjectId, 'delivered');
    expect(url).toMatch(/^mailto:a…@people\.test#[0-9a-f]{12}$/);
    expect(log).toMatchObject([{ status: 250, error: null }]);
    const [mail, ...more] = mails.received;
    expect(more).toEqual([]);
    expect(mail).toMatchObject({ from: 'capture@service.test', to: ['ada@people.test'] });
    expect(mail?.source).toContain(`Message-ID: <${id}@127.0.0.1>`);
    expect(mail?.source).toContain('Auto-Submitted: auto-generated');
    expect(mail?.source).toMatch(
      /Content-Type: text\/plain[^]*Price: =E2=82=AC139[^]*Content-Type: text\/html/,
    );
  });

  it('are mailed again when the server is busy, and never again to a receiver that it does not know', async () => {
    mails.refuse('ada@people.test', 451);
    const busy = await tell({ type: 'email', address: 'ada@people.test' });
    expect(await attempted(busy, 1)).toMatchObject({ state: 'pending', log: [{ status: 451 }] });
    mails.accept('ada@people.test');
    await makeDue();
    await becomes(busy, 'delivered');
    mails.refuse('eve@people.test', 550);
    await becomes(await tell({ type: 'email', address: 'eve@people.test' }), 'stopped');
    expect(await becomes(await tell({ type: 'email', address: 'eve@people.test' }), 'stopped')).toMatchObject(
      {
        attempts: 0,
      },
    );
  });

  it('wait while there is no mail server', async () => {
    await mails.close();
    const away = await tell({ type: 'email', address: 'ada@people.test' });
    expect((await attempted(away, 1)).log).toMatchObject([{ status: null, error: 'The connection failed.' }]);
    await sender.close();
    sender = await start({});
    await makeDue();
    expect((await attempted(away, 2)).log.at(-1)).toMatchObject({
      error: 'The operator has set no mail server.',
    });
  });
});
