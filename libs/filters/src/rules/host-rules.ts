import type { NetworkFilter, Request } from '@ghostery/adblocker';
import { Wildcards } from './linear-pattern.js';

const RESOURCES = [
  'script',
  'image',
  'stylesheet',
  'font',
  'media',
  'xhr',
  'sub_frame',
  'websocket',
  'ping',
  'other',
] as const;

/** Whether a rule is about a whole host: `||host^`, whatever the path and the type of the request. */
export function isHostRule(filter: NetworkFilter): boolean {
  return (
    filter.isHostnameAnchor() &&
    filter.filter === undefined &&
    filter.fromHttp() &&
    filter.fromHttps() &&
    RESOURCES.every((type) => filter.isCptAllowed(type))
  );
}

/**
 * The exceptions that may hold for some request to a host. With the host alone it cannot be known whether they will, so a
 * host of theirs is not blocked as a whole. An exception for all hosts counts on the pages that it names; one for all hosts
 * on all pages, such as `@@/js/ads.js`, does not count, or no host could be blocked.
 */
export class HostExceptions {
  private readonly byHost = new Map<string, NetworkFilter[]>();
  /** Those with a pattern of hosts, such as `@@||ads.*.example^`. */
  private readonly byPattern: { readonly filter: NetworkFilter; readonly hosts: Wildcards }[] = [];
  private readonly byPage: NetworkFilter[] = [];

  constructor(exceptions: readonly NetworkFilter[]) {
    for (const filter of exceptions) {
      if (!RESOURCES.some((type) => filter.isCptAllowed(type))) continue;
      const { hostname = '', filter: rest = '', domains } = filter;
      if (
        filter.isHostnameAnchor() &&
        (rest.startsWith('*') || !hostname.includes('.') || hostname.endsWith('.'))
      ) {
        this.byPattern.push({ filter, hosts: hostPattern(hostname + rest) });
      } else if (filter.isHostnameAnchor()) {
        this.byHost.set(hostname, [...(this.byHost.get(hostname) ?? []), filter]);
      } else if (domains?.hostnames !== undefined || domains?.entities !== undefined) {
        this.byPage.push(filter);
      }
    }
  }

  /** @param request one to the host, whose path and type are not looked at */
  mayHold(request: Request): boolean {
    const hosts = parentsOf(request.hostname);
    return (
      hosts.some((host) => this.byHost.get(host)?.some((filter) => appliesTo(filter, request))) ||
      this.byPattern.some(
        (each) => hosts.some((host) => each.hosts.test(host)) && appliesTo(each.filter, request),
      ) ||
      this.byPage.some((filter) => appliesTo(filter, request))
    );
  }
}

/** The part of a pattern that is about the host. */
function hostPattern(pattern: string): Wildcards {
  const end = pattern.search(/[/^?:|]/);
  const hosts = end === -1 ? pattern : pattern.slice(0, end);
  return new Wildcards(hosts.toLowerCase(), { start: true, end: end !== -1 });
}

/** Whether the rule is for this page and this party. */
function appliesTo(filter: NetworkFilter, request: Request): boolean {
  if (request.isFirstParty ? !filter.firstParty() : !filter.thirdParty()) return false;
  return filter.domains?.match(request.sourceHostnameHashes, request.sourceEntityHashes) ?? true;
}

/** The host and the domains above it. */
function parentsOf(host: string): string[] {
  const labels = host.split('.');
  return labels.map((_, i) => labels.slice(i).join('.'));
}
