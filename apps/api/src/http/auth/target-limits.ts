import type { Caller } from '@app/auth';
import { givenOptions, holdToHosts, OPTIONS, type CaptureOptions } from '@app/capture';
import { AppError, matchesHost, type Fault } from '@app/kernel';

/** What of the sender decides which targets are accepted. */
export type TargetLimits = Pick<Caller, 'allowedHosts'>;

interface HostLimits {
  readonly allowedHosts: readonly string[];
}

/**
 * The faults of options that the key of the sender does not allow. A key with `allowed_hosts` captures pages of these hosts only,
 * and cannot set what brings code or acts on the page, because that asks other hosts. Options without faults are held to the
 * hosts: the option `allowed_hosts` keeps redirects from leading the page elsewhere, wherever the options go from here.
 */
export function holdToTargets({ allowedHosts }: TargetLimits, options: CaptureOptions): Fault[] {
  if (allowedHosts === null) return [];
  const faults = targetFaults({ allowedHosts }, options);
  if (faults.length === 0) holdToHosts(options, allowedHosts);
  return faults;
}

function targetFaults({ allowedHosts }: HostLimits, options: CaptureOptions): Fault[] {
  const acting = Object.keys(givenOptions(options))
    .filter((name) => OPTIONS.get(name)?.exposure === 'script')
    .map((name) => ({
      pointer: `/${name}`,
      code: 'not_for_key',
      detail: 'runs code or acts on the page, which a key that is limited to hosts must not do',
    }));
  const targets = options.url === undefined ? [] : [{ pointer: '/url', url: new URL(options.url) }];
  return [...acting, ...hostFaults({ allowedHosts }, targets)];
}

/** The faults of addresses whose hosts the key does not allow. */
export function hostFaults(
  { allowedHosts }: TargetLimits,
  targets: readonly { readonly pointer: string; readonly url: URL }[],
): Fault[] {
  if (allowedHosts === null) return [];
  return targets
    .filter(({ url }) => !matchesHost(allowedHosts, url.hostname))
    .map(({ pointer }) => ({
      pointer,
      code: 'host_not_allowed',
      detail: `must be of a host that the key may capture: ${allowedHosts.join(', ')}`,
    }));
}

/** @throws AppError `target_forbidden` when there are faults */
export function refuseTargets(faults: Fault[]): void {
  const [first] = faults;
  if (!first) return;
  throw new AppError('target_forbidden', {
    detail: `${first.pointer.slice(1)} ${first.detail}`,
    errors: faults,
  });
}

/**
 * Holds options to what the key of the sender allows.
 *
 * @throws AppError `target_forbidden` for options that it does not allow
 */
export function admitTargets(limits: TargetLimits, options: CaptureOptions): void {
  refuseTargets(holdToTargets(limits, options));
}
