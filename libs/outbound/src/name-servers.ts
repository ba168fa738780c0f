import { Resolver as DnsClient } from 'node:dns/promises';

const TIMEOUT_MS = 1_000;
const TRIES = 2;

/** Codes of answers. Any other one means that no server answered, or that it refused or failed to. */
const ANSWERS: readonly (string | undefined)[] = ['ENOTFOUND', 'ENODATA', 'EFORMERR', 'ENOTIMP', 'EBADRESP'];

/** The name servers that this machine is configured with. */
export class NameServers {
  /** @param servers addresses with ports, instead of those of the machine */
  constructor(private readonly servers?: readonly string[]) {}

  /**
   * Resolves when a name server answers, and rejects otherwise. It asks for the root of all names, which every name server knows:
   * the name servers of one domain may fail, and a page chooses its domains.
   */
  async check(): Promise<void> {
    // A new client reads the configuration of the machine again.
    const client = new DnsClient({ timeout: TIMEOUT_MS, tries: TRIES });
    if (this.servers) client.setServers(this.servers);
    try {
      await client.resolveNs('.');
    } catch (error) {
      if (!ANSWERS.includes((error as NodeJS.ErrnoException).code)) throw error;
    }
  }
}
