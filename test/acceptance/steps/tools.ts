import assert from 'node:assert/strict';
import { Then, When } from '@cucumber/cucumber';
import { ToolUser } from '../../support/mcp.js';
import type { Scenario } from '../scenario.js';
import { expectPicture } from './answers.js';

/** Steps about the tools for language models. */

When('I call the tool {string} with:', async function (this: Scenario, name: string, body: string) {
  const args = JSON.parse(await this.fill(body)) as Record<string, unknown>;
  await using user = await ToolUser.overHttp({ url: this.service.url, key: await this.keyOf('I') });
  this.outcome = await user.call(name, args);
});

Then('I am offered the tools {string}', async function (this: Scenario, names: string) {
  await using user = await ToolUser.overHttp({ url: this.service.url, key: await this.keyOf('I') });
  const { tools } = await user.client.listTools();
  assert.deepEqual(tools.map(({ name }) => name).sort(), names.split(', ').sort());
});

Then(
  'the tool shows a {picture} of {int} x {int} pixels',
  async function (this: Scenario, format: string, width: number, height: number) {
    const picture = this.outcome?.content.find(({ type }) => type === 'image');
    assert.ok(picture?.type === 'image', `The tool shows no picture: ${this.outcome?.text}`);
    await expectPicture(Buffer.from(picture.data, 'base64'), { format, width, height });
  },
);

Then('the tool says {string}', async function (this: Scenario, words: string) {
  expectWords(this, false, await this.fill(words));
});

Then('the tool refuses and says {string}', async function (this: Scenario, words: string) {
  expectWords(this, true, await this.fill(words));
});

function expectWords({ outcome }: Scenario, isRefusal: boolean, words: string): void {
  assert.ok(outcome, 'No tool was called');
  assert.equal(outcome.isError === true, isRefusal, outcome.text);
  assert.ok(outcome.text.includes(words), `${words} does not stand in ${outcome.text}`);
}
