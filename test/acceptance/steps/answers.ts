import assert from 'node:assert/strict';
import { defineParameterType, Then, type DataTable } from '@cucumber/cucumber';
import sharp from 'sharp';
import { fieldOf, rowsOf, textOf } from '../fields.js';
import type { Answer, Scenario } from '../scenario.js';

/** Steps about the last answer, and about the document that it, or the last event, holds. */

/** A message shows as much of a body. */
const SHOWN_CHARACTERS = 600;

defineParameterType({ name: 'picture', regexp: /PNG|JPEG|WEBP|AVIF/, transformer: readPicture });

function readPicture(word: string): string {
  return word.toLowerCase();
}

Then('the answer is {int}', function (this: Scenario, status: number) {
  expectStatus(this.answer, status);
});

Then('the answer is {int} {string}', function (this: Scenario, status: number, code: string) {
  expectStatus(this.answer, status);
  assert.match(this.answer.headers.get('content-type') ?? '', /^application\/problem\+json/);
  assert.deepEqual(
    { code: fieldOf(this.document, 'code'), status: fieldOf(this.document, 'status') },
    { code, status },
  );
});

Then(
  'the answer is {int} and a {picture} of {int} x {int} pixels',
  async function (this: Scenario, status: number, format: string, width: number, height: number) {
    expectStatus(this.answer, status);
    assert.equal(this.answer.headers.get('content-type'), `image/${format}`);
    await expectPicture(this.answer.body, { format, width, height });
  },
);

Then('it is a PDF', function (this: Scenario) {
  assert.equal(this.answer.headers.get('content-type'), 'application/pdf');
  assert.equal(this.answer.body.toString('latin1', 0, '%PDF-'.length), '%PDF-');
});

Then('it says:', async function (this: Scenario, table: DataTable) {
  await expectFields(this, table, this.document);
});

Then('it has {int} {string}', function (this: Scenario, count: number, field: string) {
  const list = fieldOf(this.document, field);
  assert.ok(Array.isArray(list), `${field} is no list: ${textOf(list)}`);
  assert.equal(list.length, count);
});

Then('it has the headers:', async function (this: Scenario, table: DataTable) {
  await expectFields(this, table, Object.fromEntries(this.answer.headers));
});

Then('its {string} contains {string}', async function (this: Scenario, field: string, part: string) {
  expectPart(textOf(fieldOf(this.document, field)), await this.fill(part));
});

Then('it contains {string}', async function (this: Scenario, part: string) {
  expectPart(this.answer.body.toString(), await this.fill(part));
});

Then('it does not contain {string}', async function (this: Scenario, part: string) {
  const text = this.answer.body.toString();
  assert.ok(!text.includes(await this.fill(part)), `${part} stands in ${shown(text)}`);
});

Then('it is empty', function (this: Scenario) {
  assert.equal(this.answer.body.length, 0);
});

function expectStatus({ status, body }: Answer, expected: number): void {
  assert.equal(status, expected, `The answer is ${status}, not ${expected}: ${shown(body.toString())}`);
}

function expectPart(text: string, part: string): void {
  assert.ok(text.includes(part), `${part} does not stand in ${shown(text)}`);
}

async function expectFields(scenario: Scenario, table: DataTable, document: unknown): Promise<void> {
  const rows = await rowsOf(table, (text) => scenario.fill(text));
  const actual = rows.map(([name]) => [name, textOf(fieldOf(document, name))]);
  assert.deepEqual(Object.fromEntries(actual), Object.fromEntries(rows));
}

/** Checks what a picture is by its bytes. */
export async function expectPicture(
  bytes: Buffer,
  expected: { readonly format: string; readonly width: number; readonly height: number },
): Promise<void> {
  const { format, width, height } = await sharp(bytes).metadata();
  assert.deepEqual({ format, width, height }, expected);
}

function shown(text: string): string {
  return text.slice(0, SHOWN_CHARACTERS);
}
