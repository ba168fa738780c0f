import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import directions from '../../scripts/check/directions.cjs';

const USES = (directions as { readonly USES: Readonly<Record<string, readonly string[]>> }).USES;
const page = readFileSync('docs/architecture.md', 'utf8');

/** The rows `jobs → sessions capture`, of which some have several names at their left side. */
function documentedUses(): Record<string, string[]> {
  const [, , block = ''] = /^## Applications and libraries$([\s\S]*?)^```$([\s\S]*?)^```$/m.exec(page) ?? [];
  const rows = [...block.matchAll(/^((?:[a-z]+ +)+)→ ((?: ?[a-z]+)+)(?= {2}|$)/gm)];
  return Object.fromEntries(
    rows.flatMap(([, names = '', used = '']) =>
      names
        .trim()
        .split(/ +/)
        .map((name) => [name, used.split(' ').sort()]),
    ),
  );
}

describe('docs/architecture.md', () => {
  it('shows the libraries that each library may use', () => {
    const uses = Object.entries(USES).filter(([, used]) => used.length > 0);
    expect(documentedUses()).toEqual(
      Object.fromEntries(uses.map(([name, used]) => [name, [...used].sort()])),
    );
  });

  it('says what each library is for', () => {
    const described = [...page.matchAll(/^\| ([a-z]+) \| .* \| .* \|$/gm)].map(([, name]) => name);
    expect(described).toEqual(expect.arrayContaining(Object.keys(USES)));
  });
});
