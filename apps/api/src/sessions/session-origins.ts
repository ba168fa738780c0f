import { addressesOf, parseOptions } from '@app/capture';
import { logInOptions } from '@app/sessions';
import { hostFaults, refuseTargets, type TargetLimits } from '../http/auth/target-limits.js';
import type { SessionRequest } from './session.request.js';

/**
 * A session opens the pages of its origins, and those that the steps of its log-in name. Returns the request with its log-in and
 * its check held to the hosts that the key of the sender allows.
 *
 * @throws AppError `target_forbidden` for those of hosts that the key of the sender does not allow
 */
export function admitOrigins(sender: TargetLimits, request: SessionRequest): SessionRequest {
  const { allowedHosts } = sender;
  if (allowedHosts === null) return request;
  const { origins, logIn, check, secrets } = request;
  const opened = logIn ? addressesOf(parseOptions(logInOptions(logIn, check, secrets))) : [];
  const targets = [
    ...origins.map((origin, i) => ({ pointer: `/origins/${i}`, url: new URL(origin) })),
    ...opened.map((url) => ({ pointer: '/login/actions', url })),
  ];
  refuseTargets(hostFaults({ allowedHosts }, targets));
  const held = { allowed_hosts: allowedHosts };
  if (logIn) return { ...request, logIn: { ...logIn, ...held } };
  return check ? { ...request, check: { ...check, ...held } } : request;
}
