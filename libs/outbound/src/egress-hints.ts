import { portOf } from '@app/kernel';

/** Why the guard refuses a URL; `resolved`: the address that its name resolves to. */
export type Refusal = 'scheme' | 'address' | 'internal name' | 'port' | 'resolved';

/** Callers choose the refused targets, so the number of lines is limited. */
const MAX_TARGETS = 50;

/**
 * Logs, once for each refused target, how the operator can allow it. Callers do not learn this: their error is the same for
 * every reason. Only host and port are logged, because a URL may contain secrets.
 */
export class EgressHints {
  private readonly named = new Set<string>();

  constructor(private readonly log: (line: string) => void) {}

  refused(url: URL, refusal: Refusal): void {
    if (refusal === 'scheme') return;
    const port = portOf(url);
    const target = `${url.hostname}:${port}`;
    if (this.named.has(target) || this.named.size >= MAX_TARGETS) return;
    this.named.add(target);
    this.log(
      `${target} was refused (target_forbidden): ${REASONS[refusal]} ${adviceFor(refusal, target, port)}`,
    );
  }
}

const REASONS: Record<Exclude<Refusal, 'scheme'>, string> = {
  address: 'captures reach public addresses only.',
  'internal name': 'the name belongs to a private network, and captures reach public addresses only.',
  port: 'EGRESS_PORTS does not contain its port.',
  resolved: 'a capture requested it, and its address is not public or its port not allowed.',
};

function adviceFor(refusal: Refusal, target: string, port: number): string {
  const more = refusal === 'port' ? ` Add ${port} to EGRESS_PORTS to allow it for all public hosts.` : '';
  return `If you trust it, such as your own development server, set EGRESS_ALLOW=${target} (several with commas).${more}`;
}
