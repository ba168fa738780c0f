import { factsOf, KEY_VARIABLE, type CodeRequest } from './code-request.js';
import { jsonWithout, quoted } from './literals.js';

/** A backquote ends a raw text of Go, and its compiler refuses a byte order mark within a file. */
const RAW_SIGNS = /[`\uFEFF]/g;

export function goCode(request: CodeRequest): string {
  const { url, body, file } = factsOf(request);
  return [
    ...headOf(file),
    `const body = \`${jsonWithout(body, RAW_SIGNS)}\``,
    '',
    'func main() {',
    `\trequest, err := http.NewRequest(http.MethodPost, ${quoted(url)}, strings.NewReader(body))`,
    ...orStop(1),
    `\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("${KEY_VARIABLE}"))`,
    '\trequest.Header.Set("Content-Type", "application/json")',
    '\tresponse, err := http.DefaultClient.Do(request)',
    ...orStop(1),
    '\tdefer response.Body.Close()',
    '\tdata, err := io.ReadAll(response.Body)',
    ...orStop(1),
    '\tif response.StatusCode != http.StatusOK {',
    '\t\tlog.Fatal(string(data))',
    '\t}',
    ...endOf(file),
    '}',
    '',
  ].join('\n');
}

function headOf(file: string | undefined): string[] {
  const packages = ['io', 'log', 'net/http', 'os', 'strings'];
  if (file === undefined) packages.unshift('encoding/json', 'fmt');
  return ['package main', '', 'import (', ...packages.map((name) => `\t"${name}"`), ')', ''];
}

function endOf(file: string | undefined): string[] {
  if (file !== undefined)
    return [
      `\tif err := os.WriteFile(${quoted(file)}, data, 0o644); err != nil {`,
      '\t\tlog.Fatal(err)',
      '\t}',
    ];
  return [
    '\tvar link struct {',
    '\t\tURL string `json:"url"`',
    '\t}',
    '\tif err := json.Unmarshal(data, &link); err != nil {',
    '\t\tlog.Fatal(err)',
    '\t}',
    '\tfmt.Println(link.URL)',
  ];
}

function orStop(depth: number): string[] {
  const tabs = '\t'.repeat(depth);
  return [`${tabs}if err != nil {`, `${tabs}\tlog.Fatal(err)`, `${tabs}}`];
}
