import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ERROR_CODES, ERRORS } from '@app/kernel';

/** Words and turns that an engineer has to read twice, each with what to write. */
const ODD: readonly (readonly [RegExp, string])[] = [
  [/\bmend(s|ed|ing)?\b/i, 'correct'],
  [/\b(is|are|was|were|be) (not )?told\b/i, 'receives, notified, said'],
  [/\bfor ever\b/i, 'without end, too many, in total'],
  [/\bwho (comes|waits|asks|wants|reconnects)\b/i, 'a client that …'],
  [/\bwhoever\b/i, 'a client that …, anyone who …'],
  [/\bsays nothing\b/i, 'means the default'],
  [/\ball else\b/i, 'everything else'],
  [/\b(tried|asked|made|sent|begun) anew\b/i, 'again'],
  [/\btried again by themselves\b/i, 'retried automatically'],
  [/\bpassing (fault|reason)s?\b/i, 'transient'],
  [/\bas long as [A-Z_]+ says\b/, 'RESULT_TTL_S'],
  [/\beach item must\b/i, 'must have items …'],
  [/\b(Least level|Begin of|gives way|not to be had|gone lately)\b/i, 'minimum, start, …'],
  [/^(- |\* )?Of an? \w/m, 'subject first'],
  [/\b1 \w+ are\b|\bhas 1 \w+s\b/, 'counted()'],
];

const DOCUMENTS = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', '.env.example', 'docs/openapi.json'].concat(
  readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
);

describe('public texts are in plain English:', () => {
  it.each(DOCUMENTS)('%s', (path) => {
    expect(oddIn(readFileSync(path, 'utf8'))).toEqual([]);
  });

  it.each(ERROR_CODES)('the error %s', (code) => {
    const { title, doc } = ERRORS[code];
    expect(oddIn(`${title}\n${doc}`)).toEqual([]);
  });

  it('and what is not is found', () => {
    expect(oddIn('Mend them.\nAn empty cell says nothing.')).toHaveLength(2);
  });
});

function oddIn(text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, i) =>
      ODD.filter(([pattern]) => pattern.test(line)).map(
        ([pattern, instead]) =>
          `${i + 1}: ${pattern.exec(line)?.[0] ?? ''} (${instead}): ${line.trim().slice(0, 120)}`,
      ),
    );
}
