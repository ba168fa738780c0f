import { lookup } from 'node:dns/promises';

/** Name servers have no address for a name: it does not exist, or has addresses of other kinds only. */
export class UnknownNameError extends Error {
  override readonly name = 'UnknownNameError';
}

/** Resolves host names; a port, so that tests can use a name server of their own. */
export abstract class Resolver {
  /**
   * All addresses, in the order in which to try them.
   *
   * @throws UnknownNameError when there is none; any other error means that the name servers gave no answer
   */
  abstract resolve(host: string): Promise<string[]>;
}

/** The codes of `lookup` for a name without an address, and for one that is not a name. */
const UNKNOWN: readonly (string | undefined)[] = ['ENOTFOUND', 'ENODATA', 'EINVAL'];

/** Resolves names as the machine does: by /etc/hosts, its name servers and its search order. */
export class SystemResolver extends Resolver {
  async resolve(host: string): Promise<string[]> {
    // Such names never exist (RFC 6761, 6.4). The relative links of `html` without a base_url have one.
    if (host.endsWith('.invalid')) throw new UnknownNameError(host);
    const found = await lookup(host, { all: true, verbatim: true }).catch((cause: NodeJS.ErrnoException) => {
      throw UNKNOWN.includes(cause.code) ? new UnknownNameError(host, { cause }) : cause;
    });
    return found.map(({ address }) => address);
  }
}
