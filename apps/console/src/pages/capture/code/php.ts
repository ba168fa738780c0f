import { factsOf, KEY_VARIABLE, type CodeRequest } from './code-request.js';
import { jsonWithout, phpText } from './literals.js';

/** A nowdoc has no escapes, and every sign may stand in it. */
const NONE = /(?!)/g;

export function phpCode(request: CodeRequest): string {
  const { url, body, file } = factsOf(request);
  return [
    '<?php',
    "$body = <<<'JSON'",
    jsonWithout(body, NONE),
    'JSON;',
    '',
    `$curl = curl_init(${phpText(url)});`,
    'curl_setopt_array($curl, [',
    '    CURLOPT_POSTFIELDS => $body,',
    '    CURLOPT_RETURNTRANSFER => true,',
    '    CURLOPT_HTTPHEADER => [',
    `        'Authorization: Bearer ' . getenv('${KEY_VARIABLE}'),`,
    "        'Content-Type: application/json',",
    '    ],',
    ']);',
    '$answer = curl_exec($curl);',
    'if ($answer === false) {',
    '    exit(curl_error($curl) . PHP_EOL);',
    '}',
    'if (curl_getinfo($curl, CURLINFO_RESPONSE_CODE) !== 200) {',
    '    exit($answer . PHP_EOL);',
    '}',
    file === undefined
      ? 'echo json_decode($answer)->url, PHP_EOL;'
      : `file_put_contents(${phpText(file)}, $answer);`,
    '',
  ].join('\n');
}
