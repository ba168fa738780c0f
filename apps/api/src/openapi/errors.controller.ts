import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ERROR_CODES, ERRORS, type ErrorCode } from '@app/kernel';
import { Public } from '../http/auth/caller.js';

const STYLE = `
body { max-width: 46rem; margin: 2.5rem auto; padding: 0 1rem; color: #1c2430; background: #fbfbfa;
  font: 16px/1.55 system-ui, -apple-system, 'Segoe UI', sans-serif }
section { padding: .25rem 1rem; margin: .75rem 0; border: 1px solid #e3e5e8; border-radius: 8px; background: #fff }
section:target { border-color: #2563eb; box-shadow: 0 0 0 3px #dbe7ff }
h2 { font-size: 1.05rem; margin: .75rem 0 .25rem }
h2 a { color: inherit; text-decoration: none }
p { margin: .35rem 0 .75rem }
.facts { color: #5b6572; font-size: .9rem; margin: 0 }
code { font: .9em ui-monospace, SFMono-Regular, Menlo, monospace; background: #f1f2f4; border-radius: 4px; padding: 0 .25em }`;

/** The page that lists all errors, with an anchor for each code. */
const ERRORS_PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Errors · Capture Service</title><style>${STYLE}</style></head><body>
<h1>Errors</h1>
<p>Every error is answered with a problem document (<code>application/problem+json</code>, RFC 9457). Decide by
<code>code</code>; a code is never renamed. <a href="/docs">Reference</a></p>
${ERROR_CODES.map(section).join('\n')}
</body></html>
`;

function section(code: ErrorCode): string {
  const { status, retryable, title, doc } = ERRORS[code];
  const retry = retryable ? 'may succeed later' : 'do not repeat without a change';
  return `<section id="${code}"><h2><a href="#${code}"><code>${code}</code> ${escapeHtml(title)}</a></h2>
<p class="facts">HTTP ${status} · ${retry}</p><p>${codeSpans(escapeHtml(doc))}</p></section>`;
}

function codeSpans(html: string): string {
  return html.replace(/`([^`]+)`/g, '<code>$1</code>');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Serves the page that the `type` of every problem links to. */
@ApiExcludeController()
@Public()
@Controller('docs/errors')
export class ErrorsController {
  @Get()
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
  show(): string {
    return ERRORS_PAGE;
  }
}
