import assert from 'node:assert/strict';
import { Given, Then } from '@cucumber/cucumber';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../../support/eventually.js';
import { Exposition } from '../../support/exposition.js';
import { fieldOf } from '../fields.js';
import type { Scenario } from '../scenario.js';

/** Steps about what the service tells others: webhooks to integrators, metrics to operators. */

Then('a webhook {string} arrives, signed with my secret', async function (this: Scenario, type: string) {
  const { receiver } = this.service;
  const ofType = () =>
    receiver.receivedAt(this.receiverPath).find(({ body }) => fieldOf(JSON.parse(body), 'type') === type);
  await eventually(`the webhook ${type} arrives`, () => ofType() !== undefined);
  const received = ofType();
  assert.ok(received);
  const answer = await this.ask('I', { method: 'GET', path: '/v1/webhooks/secret' });
  const secret = String(fieldOf(JSON.parse(answer.body.toString()), 'secret'));
  this.document = new Webhook(secret).verify(received.body, received.headers as Record<string, string>);
});

Given(
  'I watch the metric {string} where {string} is {string}',
  async function (this: Scenario, name: string, label: string, value: string) {
    const read = async () =>
      (await Exposition.scrape(this.service.workerMetrics)).sum(name, { [label]: value });
    this.watched = { read, before: await read() };
  },
);

Then('that metric grows by {int}', async function (this: Scenario, growth: number) {
  const { watched } = this;
  assert.ok(watched, 'No metric is watched');
  let now = watched.before;
  // The worker counts a capture after its end, when the caller may already have the answer.
  await eventually('the metric grows', async () => (now = await watched.read()) > watched.before);
  assert.equal(now - watched.before, growth);
});
