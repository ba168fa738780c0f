import { lookup } from 'node:dns/promises';

/** Finds the addresses of a name; a port, so that tests bring a name server of their own. */
export abstract class Resolver {
  /** All addresses, in the order they are to be tried. Rejects when there is none. */
  abstract resolve(host: string): Promise<string[]>;
}

/** What the machine itself would find: /etc/hosts, its name servers, its search order. */
export class SystemResolver extends Resolver {
  async resolve(host: string): Promise<string[]> {
    // No name server knows these (RFC 6761, 6.4). `html` without a base_url lives there, with each of its relative links.
    if (host.endsWith('.invalid')) throw new Error(`${host} is no name`);
    const found = await lookup(host, { all: true, verbatim: true });
    return found.map(({ address }) => address);
  }
}
