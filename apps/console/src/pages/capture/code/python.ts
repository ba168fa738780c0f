import { factsOf, KEY_VARIABLE, type CodeRequest } from './code-request.js';
import { pythonLiteral, quoted } from './literals.js';

export function pythonCode(request: CodeRequest): string {
  const { url, body, file } = factsOf(request);
  const answer =
    file === undefined
      ? ['        print(json.load(response)["url"])']
      : [`        with open(${quoted(file)}, "wb") as file:`, '            file.write(response.read())'];
  return [
    'import json',
    'import os',
    'import urllib.error',
    'import urllib.request',
    '',
    `options = ${pythonLiteral(body)}`,
    'request = urllib.request.Request(',
    `    ${quoted(url)},`,
    '    data=json.dumps(options).encode(),',
    '    headers={',
    `        "Authorization": f"Bearer {os.environ['${KEY_VARIABLE}']}",`,
    '        "Content-Type": "application/json",',
    '    },',
    ')',
    'try:',
    '    with urllib.request.urlopen(request) as response:',
    ...answer,
    'except urllib.error.HTTPError as error:',
    '    raise SystemExit(error.read().decode())',
    '',
  ].join('\n');
}
