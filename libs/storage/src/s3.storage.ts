import { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AppError, withTimeout } from '@app/kernel';
import type { S3Settings } from './s3-settings.js';
import { failWhenStalled } from './stall.js';
import { assertKey, FileNotFoundError, PROBE, Storage, type ByteRange } from './storage.js';

const MAX_ATTEMPTS = 3;

/** How long the store may take, in ms. */
export interface S3Timeouts {
  /** To accept a connection. */
  readonly connectMs: number;
  /** For one attempt, until the headers of the response; and for the next bytes of a file that is being read. */
  readonly attemptMs: number;
  /** For all attempts of a call together. The slot of a worker waits for a put: an unavailable store may cost it 30 s. */
  readonly callMs: number;
  /** For a check. Health probes wait for less, and a slower store counts as unavailable. */
  readonly checkMs: number;
}

const TIMEOUTS: S3Timeouts = { connectMs: 3_000, attemptMs: 9_000, callMs: 29_000, checkMs: 5_000 };

/** Health is checked every few seconds, and the provider charges for each write. */
const PROBE_PERIOD_MS = 10_000;

/** One object with a key of the usual shape, so that a policy for the keys of files covers it. */
const PROBE_KEY = 'checks/00000000-0000-0000-0000-000000000000/probe.txt';

/** A slow reader of a file holds a connection; the limit leaves room for many of them. */
const AGENT = { keepAlive: true, maxSockets: 250 };

/**
 * Files as objects of a bucket, in AWS or an S3-compatible store.
 *
 * A put is one request, which the store accepts whole or not at all: its length and the SHA-256 of its body are signed, so
 * that a truncated or changed body is refused. The SDK retries after faults of the network and the store, but never after
 * a refusal.
 *
 * It does not pass the egress guard, which is for addresses of callers. This address is the operator's, as the database's
 * is, and usually a private one, which the guard would refuse. Callers have no influence on it: keys consist of the service's
 * ids, and redirects to other hosts are not followed.
 */
@Injectable()
export class S3Storage extends Storage implements OnApplicationShutdown {
  private readonly client: S3Client;
  private readonly bucket: string;
  private probe: { readonly at: number; readonly result: Promise<void> } | undefined;

  constructor(
    { bucket, region, endpoint, credentials }: S3Settings,
    private readonly timeouts = TIMEOUTS,
  ) {
    super();
    this.bucket = bucket;
    this.client = new S3Client({
      region,
      maxAttempts: MAX_ATTEMPTS,
      retryMode: 'standard',
      requestHandler: {
        connectionTimeout: timeouts.connectMs,
        requestTimeout: timeouts.attemptMs,
        // By default the timeout only logs a warning.
        throwOnRequestTimeout: true,
        httpAgent: AGENT,
        httpsAgent: AGENT,
      },
      // Every store checks the signed SHA-256; some refuse the SDK's own checksums, which they do not know.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      ...(credentials && { credentials }),
    });
  }

  onApplicationShutdown(): void {
    this.client.destroy();
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    assertKey(key);
    await this.store(key, bytes, this.timeouts.callMs);
  }

  async read(key: string, range?: ByteRange): Promise<Readable> {
    assertKey(key);
    const command = new GetObjectCommand({
      Bucket: this.bucket,
      Key: key,
      ...(range && { Range: `bytes=${range.start}-${range.end}` }),
    });
    try {
      const { Body } = await callWithTimeout(this.timeouts.callMs, (abortSignal) =>
        this.client.send(command, { abortSignal }),
      );
      if (!(Body instanceof IncomingMessage))
        throw new TypeError('The SDK returned no stream of the network');
      return failWhenStalled(Body, this.timeouts.attemptMs);
    } catch (fault) {
      if (isMissing(fault)) throw new FileNotFoundError(key);
      throw new AppError('storage_unavailable', { cause: fault });
    }
  }

  async delete(key: string): Promise<void> {
    assertKey(key);
    const command = new DeleteObjectCommand({ Bucket: this.bucket, Key: key });
    try {
      await callWithTimeout(this.timeouts.callMs, (abortSignal) =>
        this.client.send(command, { abortSignal }),
      );
    } catch (fault) {
      // S3 treats a missing object as deleted; some compatible stores do not.
      if (isMissing(fault)) return;
      throw new AppError('storage_unavailable', { cause: fault });
    }
  }

  /** A put is never a multipart upload, so an interrupted one leaves nothing in the bucket. */
  removeIncomplete(): Promise<void> {
    return Promise.resolve();
  }

  /** Only a write proves that files can be stored. A success is remembered for a while, or until a file cannot be stored. */
  check(): Promise<void> {
    const now = performance.now();
    if (this.probe && now - this.probe.at < PROBE_PERIOD_MS) return this.probe.result;
    const result = this.store(PROBE_KEY, PROBE, this.timeouts.checkMs);
    this.probe = { at: now, result };
    return result;
  }

  private async store(key: string, bytes: Uint8Array, timeoutMs: number): Promise<void> {
    const command = new PutObjectCommand({
      Bucket: this.bucket,
      Key: key,
      Body: bytes,
      ContentLength: bytes.byteLength,
    });
    try {
      await callWithTimeout(timeoutMs, (abortSignal) => this.client.send(command, { abortSignal }));
    } catch (cause) {
      this.probe = undefined;
      throw new AppError('storage_unavailable', { cause });
    }
  }
}

function isMissing(fault: unknown): boolean {
  return fault instanceof S3ServiceException && fault.name === 'NoSuchKey';
}

/**
 * Limits a call over all its tries and the SDK's pauses between them. The signal is never aborted after an answer: that
 * would cut off the body, which is read later.
 */
async function callWithTimeout<T>(ms: number, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  try {
    return await withTimeout(call(controller.signal), ms, 'calling the store');
  } catch (error) {
    controller.abort();
    throw error;
  }
}
