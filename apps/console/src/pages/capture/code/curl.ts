import { factsOf, KEY_VARIABLE, type CodeRequest } from './code-request.js';
import { jsonWithout, shellText } from './literals.js';

/** Interactive shells replace `!` by an earlier command. */
const SHELL_SIGNS = /!/g;

export function curlCode(request: CodeRequest): string {
  const { url, body, file } = factsOf(request);
  return [
    `curl -sS --fail-with-body ${shellText(url)} \\`,
    `  -H "Authorization: Bearer $${KEY_VARIABLE}" \\`,
    "  -H 'Content-Type: application/json' \\",
    ...(file === undefined ? [] : [`  -o ${file} \\`]),
    "  --data-binary @- <<'JSON'",
    jsonWithout(body, SHELL_SIGNS),
    'JSON',
    '',
  ].join('\n');
}
