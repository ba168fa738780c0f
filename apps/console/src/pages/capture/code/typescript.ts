import { factsOf, isRecord, KEY_VARIABLE, type CodeRequest } from './code-request.js';
import { quoted, scriptLiteral } from './literals.js';

export function typescriptCode(request: CodeRequest): string {
  return [
    "import { CaptureClient } from '@capture-service/client';",
    '',
    `const client = new CaptureClient({ baseUrl: ${quoted(request.baseUrl)}, key: process.env.${KEY_VARIABLE} });`,
    '',
    ...callOf(request),
    '',
  ].join('\n');
}

function callOf(request: CodeRequest): string[] {
  const { options, linkLifeS } = request;
  const fields = scriptLiteral(options);
  if (linkLifeS !== undefined)
    return [
      `const link = await client.links.sign(${fields}, { expiresInS: ${linkLifeS} });`,
      'console.log(link.url);',
    ];
  if (answersRecord(options))
    return [
      `const record = await client.capture(${fields});`,
      'for (const { name, format } of record.files) {',
      '  await client.captures.fileToPath(record.id, `${name}.${format}`, { name });',
      '}',
    ];
  const { file = '' } = factsOf(request);
  return [
    `const file = await client.captureToFile(${fields}, ${quoted(file)});`,
    'console.log(`${file.path}: ${file.size} bytes`);',
  ];
}

/** The SDK returns the record of everything with `outputs`, also of one. */
function answersRecord(options: CodeRequest['options']): boolean {
  return isRecord(options) || (options.outputs !== undefined && options.response !== 'zip');
}
