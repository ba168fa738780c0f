import { AuthorizationResponseError, ResponseBodyError } from 'openid-client';
import { SignOnRefusal } from './sign-on-refusal.js';

const UNREACHABLE = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT']);

/** The refusal of a log-in when the provider does not answer, or its answer is not that of a provider. */
export function unreachable(error: unknown): SignOnRefusal {
  return refuse(
    502,
    'The identity provider does not answer, or refuses this service. Tell the operator.',
    error,
  );
}

/** The refusal of a log-in after an error in the answer of the provider. */
export function refusalOf(error: unknown): SignOnRefusal {
  if (error instanceof AuthorizationResponseError) {
    return refuse(403, `The identity provider did not log you in (${error.error}).`, error);
  }
  if (error instanceof ResponseBodyError && error.error === 'invalid_grant') {
    return refuse(400, 'The log-in has expired or was finished before. Log in again.', error);
  }
  const isFault = error instanceof ResponseBodyError || error instanceof TypeError;
  if (isFault || UNREACHABLE.has(codeOf(error))) return unreachable(error);
  return refuse(
    400,
    'The answer of the identity provider does not belong to this log-in. Log in again.',
    error,
  );
}

/** The log gets the message and the code of an error only, because its cause may contain codes and tokens. */
function refuse(status: SignOnRefusal['status'], message: string, error: unknown): SignOnRefusal {
  const reason = error instanceof Error ? error.message : String(error);
  return new SignOnRefusal(status, message, `${reason} (${codeOf(error)})`);
}

function codeOf(error: unknown): string {
  const { error: said, code = '' } = error as { readonly error?: string; readonly code?: string };
  return said ?? code;
}
