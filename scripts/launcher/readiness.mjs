import http from 'node:http';
import { StartError } from './output.mjs';
import { pause } from './processes.mjs';

/** `settingMs`: a server that the operator has set and that is down for so long is not about to answer. */
const PATIENCE = { readyMs: 60_000, settingMs: 15_000 };
const ASK_EVERY_MS = 40;
const ANSWER_WITHIN_MS = 5_000;
/** A readiness probe answers with some hundred bytes. */
const MAX_ANSWER = 10_000;

/**
 * Resolves once the probe answers 200.
 *
 * @throws StartError when the application ends before, takes too long, or cannot use a server that a variable names
 */
export async function untilReady(app, probe, { env = {}, ...patience } = {}) {
  const { readyMs, settingMs } = { ...PATIENCE, ...patience };
  const begun = performance.now();
  let reason;
  void app.ended().then((why) => (reason = why));
  for (;;) {
    const { isReady, down, why } = await ask(probe);
    if (isReady) return;
    if (reason !== undefined) throw new StartError(`${app.name} ended (${reason})`);
    const waitedMs = performance.now() - begun;
    const variable = down.map((check) => variableOf(check, env)).find((name) => name !== undefined);
    if (variable !== undefined && waitedMs > settingMs)
      throw new StartError(`${app.name} cannot use what ${variable} names: ${why}`);
    if (waitedMs > readyMs)
      throw new StartError(`${app.name} is not ready after ${readyMs / 1_000} s (${probe}): ${why}`);
    await pause(ASK_EVERY_MS);
  }
}

/** The variable by which the operator has chosen the server of a check; undefined when it is one of ours. */
function variableOf(check, env) {
  const choice = { queue: 'REDIS_URL', storage: 'S3_BUCKET' }[check];
  return choice && env[choice] ? choice : undefined;
}

/** What the probe answers now. By node:http: `fetch` refuses ports that browsers do, on which a service may well listen. */
function ask(probe) {
  return new Promise((resolve) => {
    const failed = (error) => resolve({ isReady: false, down: [], why: error.message });
    const request = http.get(probe, { agent: false, timeout: ANSWER_WITHIN_MS }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('error', failed);
      response.on('data', (part) => (text = (text + part).slice(0, MAX_ANSWER)));
      response.on('end', () => {
        const down = failing(text);
        const why = [`it answers ${response.statusCode}`, ...down.map((check) => `${check} is down`)].join(
          ', ',
        );
        resolve({ isReady: response.statusCode === 200, down, why });
      });
    });
    request.on('timeout', () => request.destroy(new Error(`no answer in ${ANSWER_WITHIN_MS / 1_000} s`)));
    request.on('error', failed);
  });
}

/** The checks that failed, in the words of the API or of the worker. */
function failing(text) {
  try {
    const { checks = {}, error = {} } = JSON.parse(text);
    return [...Object.keys(checks).filter((name) => checks[name] === 'down'), ...Object.keys(error)];
  } catch {
    return [];
  }
}
