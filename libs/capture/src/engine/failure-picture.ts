import { withTimeout, type AppError } from '@app/kernel';
import type { CapturedFile } from '../findings/captured.js';
import type { ActionsOptions } from '../options/actions.js';
import type { Visit } from '../pipeline/family.js';
import { noFileFacts } from '../record/facts.js';
import { FAILURE } from '../request/outputs.js';

/** A page that answers no sooner hangs, and a picture of it would hang as well. */
const PICTURE_MS = 3_000;

/**
 * A picture of the window as it was when a step failed, without the secrets that were typed. Undefined when the options do not
 * ask for it, when something else failed, and when the page does not let a picture be taken. Never rejects.
 */
export async function failurePicture(
  visit: Visit,
  { on_failure_picture: isAsked }: ActionsOptions,
  error: AppError,
): Promise<CapturedFile | undefined> {
  if (!isAsked || error.code !== 'action_failed') return undefined;
  return withTimeout(takePicture(visit), PICTURE_MS, 'the picture of a failure').catch(() => undefined);
}

async function takePicture(visit: Visit): Promise<CapturedFile> {
  await visit.maskSecrets?.();
  const { data } = await visit.cdp.send('Page.captureScreenshot', { format: 'png' });
  const bytes = Buffer.from(data, 'base64');
  // A PNG begins with its size.
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const facts = { ...noFileFacts(), width, height, pageHeight: null };
  return { name: FAILURE, format: 'png', bytes, facts };
}
