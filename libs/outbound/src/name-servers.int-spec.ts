import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DnsServer } from '../../../test/support/dns-server.js';
import { NameServers } from './name-servers.js';

describe(NameServers.name, () => {
  let server: DnsServer;

  beforeAll(async () => {
    server = await DnsServer.open();
  });
  afterAll(() => server.close());

  const check = (): Promise<void> => new NameServers([server.address]).check();

  it.each(['noError', 'nxDomain', 'formErr'] as const)('answer when they respond with %s', async (answer) => {
    server.answer = answer;
    await expect(check()).resolves.toBeUndefined();
  });

  it.each([
    ['servFail', 'ESERVFAIL'],
    ['refused', 'EREFUSED'],
    [null, 'ETIMEOUT'],
  ] as const)('do not answer when they respond with %s', async (answer, code) => {
    server.answer = answer;
    await expect(check()).rejects.toMatchObject({ code });
  });

  it('do not answer where none listens', async () => {
    const gone = await DnsServer.open();
    await gone.close();
    await expect(new NameServers([gone.address]).check()).rejects.toMatchObject({
      code: expect.stringMatching(/ECONNREFUSED|ETIMEOUT/) as unknown,
    });
  });
});
