/** Why a person is not logged in; the message is for the person. */
export class SignOnRefusal extends Error {
  override readonly name = 'SignOnRefusal';

  constructor(
    readonly status: 400 | 403 | 429 | 502,
    message: string,
    /** What the log says besides. */
    readonly reason?: string,
  ) {
    super(message);
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A page without scripts and styles, which the policy of all responses forbids. */
export function refusalPage({ message }: SignOnRefusal, logInPath: string): string {
  const text = message.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Log-in failed · Capture Service</title></head>
<body><main><h1>The log-in failed</h1><p>${text}</p><p><a href="${logInPath}">Back to the log-in page</a></p></main></body>
</html>
`;
}
