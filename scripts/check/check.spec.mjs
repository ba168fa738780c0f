import { describe, expect, it } from '@jest/globals';
import { findings, readReport } from './audit-report.mjs';
import { foldersWith, packagesImported, productionPackages, refusedLicences } from './licence-rules.mjs';

describe('the check of licences', () => {
  const lock = (packages) => ({ packages: { '': { license: 'Apache-2.0' }, ...packages } });
  const refused = (packages, manifestOf) =>
    refusedLicences(productionPackages(lock(packages), manifestOf)).map(({ name }) => name);

  it.each(['MIT', '(MIT OR GPL-3.0-only)', 'MIT AND ISC', 'GPL-2.0-only OR Apache-2.0'])(
    'permits %s',
    (license) => {
      expect(refused({ 'node_modules/a': { license } })).toEqual([]);
    },
  );

  it.each([
    'GPL-3.0-only',
    'LGPL-3.0-or-later',
    'MIT AND LGPL-3.0-or-later',
    'UNLICENSED',
    'SEE LICENSE IN x',
    '(MIT',
  ])('names a package under %s', (license) => {
    expect(refused({ 'node_modules/a/node_modules/@b/c': { license } })).toEqual(['@b/c']);
  });

  it('permits libvips, which can be replaced, under the LGPL, and no other package', () => {
    const license = 'Apache-2.0 AND LGPL-3.0-or-later';
    const packages = {
      'node_modules/@img/sharp-win32-x64': { license },
      'node_modules/sharp-x': { license },
    };
    expect(refused(packages)).toEqual(['sharp-x']);
  });

  it('includes optional packages of other platforms, and no development dependencies', () => {
    const license = 'GPL-3.0-only';
    const packages = {
      'node_modules/win': { license, optional: true },
      'node_modules/tool': { license, dev: true },
      'node_modules/both': { license, devOptional: true },
    };
    expect(refused(packages)).toEqual(['win', 'both']);
  });

  it('includes what a bundle imports, and what that depends on', () => {
    const license = 'GPL-3.0-only';
    const packages = {
      'node_modules/@ui/core': { license: 'MIT', dev: true, dependencies: { inner: '1' } },
      'node_modules/inner': { license, dev: true },
      'node_modules/tool': { license, dev: true },
    };
    const names = packagesImported(`import '@ui/core/styles.css';\nimport { a } from './tool.js';`);
    const all = productionPackages(lock(packages), undefined, foldersWith(names, lock(packages)));
    expect(refusedLicences(all).map(({ name }) => name)).toEqual(['inner']);
  });

  it('passes over links to workspaces', () => {
    expect(refused({ 'node_modules/@ours/console': { resolved: 'apps/console', link: true } })).toEqual([]);
  });

  it('reads the licence from the package itself where the lock file has none', () => {
    const manifests = { 'node_modules/old': { licenses: [{ type: 'MIT' }] }, 'node_modules/none': {} };
    const packages = { 'node_modules/old': {}, 'node_modules/none': {} };
    expect(refused(packages, (folder) => manifests[folder])).toEqual(['none']);
  });
});

describe('the audit', () => {
  const advisory = (severity, id) => ({
    severity,
    title: 'a flaw',
    range: '<2',
    url: `https://x/advisories/${id}`,
  });
  const report = (...via) => readReport(JSON.stringify({ vulnerabilities: { a: { name: 'a', via } } }));

  it.each([
    ['', 'npm gave no report'],
    ['{"message":"405 Method Not Allowed - POST https://x/y","statusCode":405}', '405 Method Not Allowed'],
    ['{"message":"request to https://x/y failed"}', 'request to https://x/y failed'],
  ])('is skipped when npm says %j', (text, reason) => {
    expect(readReport(text)).toEqual({ skipped: `the registry gives no advisories (${reason})` });
  });

  it('names each serious advisory once', () => {
    const via = [
      advisory('high', 'GHSA-1'),
      advisory('moderate', 'GHSA-2'),
      advisory('critical', 'GHSA-3'),
      'b',
    ];
    expect(findings(report(...via).vulnerabilities, {})).toEqual([
      'a <2: high, a flaw (GHSA-1)',
      'a <2: critical, a flaw (GHSA-3)',
    ]);
  });

  it('skips an advisory that is accepted with a reason, and names entries that are not needed or have none', () => {
    const { vulnerabilities } = report(advisory('high', 'GHSA-1'), advisory('high', 'GHSA-2'));
    expect(findings(vulnerabilities, { 'GHSA-1': 'never called', 'GHSA-2': '', 'GHSA-3': 'gone' })).toEqual([
      'GHSA-3 is accepted but not reported any more: remove it',
      'GHSA-2 is accepted without a reason',
    ]);
  });

  it('finds nothing in a clean report', () => {
    expect(findings(readReport('{"vulnerabilities":{}}').vulnerabilities, {})).toEqual([]);
  });
});
