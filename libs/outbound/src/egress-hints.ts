import { portOf } from '@app/kernel';

/** Why the guard refuses a URL before it is resolved; `resolved`: the address that its name has. */
export type Refusal = 'scheme' | 'address' | 'internal name' | 'port' | 'resolved';

/** Callers choose what is refused: the log must neither grow with it nor tell the same twice. */
const MOST_TARGETS = 50;

/**
 * Logs once for each refused target how an operator opens it. Callers do not learn it: the answer is the same for every
 * reason, and the setting is not theirs. Only host and port are named, for a URL may hold secrets.
 */
export class EgressHints {
  private readonly named = new Set<string>();

  constructor(private readonly log: (line: string) => void) {}

  refused(url: URL, refusal: Refusal): void {
    if (refusal === 'scheme') return;
    const port = portOf(url);
    const target = `${url.hostname}:${port}`;
    if (this.named.has(target) || this.named.size >= MOST_TARGETS) return;
    this.named.add(target);
    this.log(
      `${target} was refused (target_forbidden): ${REASONS[refusal]} ${remedy(refusal, target, port)}`,
    );
  }
}

const REASONS: Record<Exclude<Refusal, 'scheme'>, string> = {
  address: 'captures reach public addresses only.',
  'internal name': 'the name is one of a private network, and captures reach public addresses only.',
  port: 'EGRESS_PORTS does not have its port.',
  resolved: 'a capture was led there, and its address is not public or its port not allowed.',
};

function remedy(refusal: Refusal, target: string, port: number): string {
  const others = refusal === 'port' ? ` Add ${port} to EGRESS_PORTS to open it for all public hosts.` : '';
  return `If you trust it, as your own development server, set EGRESS_ALLOW=${target} (several with commas).${others}`;
}
