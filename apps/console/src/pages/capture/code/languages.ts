import type { CodeRequest } from './code-request.js';
import { curlCode } from './curl.js';
import { goCode } from './go.js';
import { phpCode } from './php.js';
import { pythonCode } from './python.js';
import { typescriptCode } from './typescript.js';

interface Language {
  readonly value: string;
  readonly label: string;
  readonly code: (request: CodeRequest) => string;
}

export const LANGUAGES: readonly Language[] = [
  { value: 'curl', label: 'curl', code: curlCode },
  { value: 'typescript', label: 'TypeScript', code: typescriptCode },
  { value: 'python', label: 'Python', code: pythonCode },
  { value: 'go', label: 'Go', code: goCode },
  { value: 'php', label: 'PHP', code: phpCode },
];
