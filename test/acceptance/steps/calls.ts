import { defineParameterType, Given, When } from '@cucumber/cucumber';
import { eventually } from '../../support/eventually.js';
import { fieldOf, textOf } from '../fields.js';
import { CALLERS, type Caller, type Scenario } from '../scenario.js';

/** Steps that call the service, and steps that remember what it answered. */

/** Less than a step may take, so that the message says what did not happen. */
const UNTIL_TIMEOUT_MS = 50_000;

const JSON_TYPE = { 'content-type': 'application/json' } as const;
const CSV_TYPE = { 'content-type': 'text/csv' } as const;

defineParameterType({
  name: 'caller',
  regexp: new RegExp(CALLERS.join('|')),
  transformer: (name: string) => name as Caller,
});
defineParameterType({ name: 'method', regexp: /GETs?|DELETEs?|POSTs?/, transformer: readMethod });

function readMethod(word: string): string {
  return word.replace(/s$/, '');
}

When(
  '{caller} {method} {string}',
  async function (this: Scenario, caller: Caller, method: string, path: string) {
    await this.call(caller, { method, path });
  },
);

When(
  '{caller} {method} {string} with the header {string}',
  async function (this: Scenario, caller: Caller, method: string, path: string, header: string) {
    await this.call(caller, { method, path, headers: readHeader(await this.fill(header)) });
  },
);

When(
  '{caller} POST(s) to {string}:',
  async function (this: Scenario, caller: Caller, path: string, body: string) {
    await this.call(caller, { method: 'POST', path, body, headers: JSON_TYPE });
  },
);

When(
  '{caller} POST(s) to {string} with the header {string}:',
  async function (this: Scenario, caller: Caller, path: string, header: string, body: string) {
    const headers = { ...JSON_TYPE, ...readHeader(await this.fill(header)) };
    await this.call(caller, { method: 'POST', path, body, headers });
  },
);

When(
  '{caller} POST(s) to {string} the CSV:',
  async function (this: Scenario, caller: Caller, path: string, body: string) {
    await this.call(caller, { method: 'POST', path, body, headers: CSV_TYPE });
  },
);

When(
  '{caller} POST(s) to {string} without waiting:',
  function (this: Scenario, caller: Caller, path: string, body: string) {
    this.waiting = this.ask(caller, { method: 'POST', path, body, headers: JSON_TYPE });
    // A failure is reported by the step that waits for the answer.
    this.waiting.catch(() => undefined);
  },
);

When('that request is answered', async function (this: Scenario) {
  await this.awaitAnswer();
});

When(
  'I GET {string} until its {string} is {string}',
  async function (this: Scenario, path: string, field: string, wanted: string) {
    const expected = await this.fill(wanted);
    const isReached = async (): Promise<boolean> => {
      await this.call('I', { method: 'GET', path });
      return textOf(fieldOf(this.document, field)) === expected;
    };
    await eventually(`${field} is ${expected}`, isReached, UNTIL_TIMEOUT_MS);
  },
);

When('a browser opens the link {string}', async function (this: Scenario, link: string) {
  // The page sends the fragment, which a browser keeps from servers, to log in.
  const [page = '', token = ''] = (await this.fill(link)).split('#');
  await this.call('a browser', { method: 'GET', path: page });
  if (this.answer.status !== 200) throw new Error(`The page of the link was answered ${this.answer.status}`);
  const body = JSON.stringify({ log_in: token });
  await this.call('a browser', { method: 'POST', path: '/console/session', body, headers: JSON_TYPE });
});

When('the page {string} answers at last', async function (this: Scenario, path: string) {
  const { site } = this.service;
  await eventually('the page is visited', () => site.requests(path).length > 0);
  site.release();
});

Given('I remember its {string} as {string}', function (this: Scenario, field: string, word: string) {
  const value = fieldOf(this.document, field);
  if (value === undefined) throw new Error(`${JSON.stringify(this.document)} has no ${field}`);
  this.remember(word, textOf(value));
});

Given('I remember its header {string} as {string}', function (this: Scenario, name: string, word: string) {
  const value = this.answer.headers.get(name);
  if (value === null) throw new Error(`The answer has no header ${name}`);
  this.remember(word, value);
});

function readHeader(line: string): Record<string, string> {
  const [name = '', value = ''] = line.split(/: (.*)/s);
  return { [name]: value };
}
