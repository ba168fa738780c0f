import { lookup } from 'node:dns/promises';

/** Resolves host names; a port, so that tests can use a name server of their own. */
export abstract class Resolver {
  /** All addresses, in the order in which to try them. Rejects when there is none. */
  abstract resolve(host: string): Promise<string[]>;
}

/** Resolves names as the machine does: by /etc/hosts, its name servers and its search order. */
export class SystemResolver extends Resolver {
  async resolve(host: string): Promise<string[]> {
    // Such names never exist (RFC 6761, 6.4). The relative links of `html` without a base_url have one.
    if (host.endsWith('.invalid')) throw new Error(`${host} does not exist`);
    const found = await lookup(host, { all: true, verbatim: true });
    return found.map(({ address }) => address);
  }
}
