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

const TRIES = 3;

/** How long the store may take, in ms. */
export interface S3Patience {
  /** To take a connection. */
  readonly connectMs: number;
  /** For one try, until the headers of the answer; and for more of a file that is read. */
  readonly tryMs: number;
  /** For a call, all tries together. A worker's slot waits for a put: 30 s is what a store that is away may cost it. */
  readonly callMs: number;
  /** For a check. Whoever asks after health waits for less; what takes longer is no store to rely on. */
  readonly checkMs: number;
}

const PATIENCE: S3Patience = { connectMs: 3_000, tryMs: 9_000, callMs: 29_000, checkMs: 5_000 };

/** A probe is a write, and is paid for: health is asked after every few seconds. */
const PROBE_EVERY_MS = 10_000;

/** Always the same object; a key of the usual shape, so that a policy for our keys covers it. */
const PROBE_KEY = 'checks/00000000-0000-0000-0000-000000000000/probe.txt';

/** A slow reader of a file holds a connection; so many of them keep nobody else from the store. */
const AGENT = { keepAlive: true, maxSockets: 250 };

/**
 * Files as objects of a bucket, in AWS or in any store that speaks S3.
 *
 * A put is one request that the store takes whole or not at all: its length and the SHA-256 of its body are part of
 * what is signed, so that a body cut or changed on its way is refused. The SDK tries again after faults of the network
 * and of the store, and never after a refusal.
 *
 * It does not pass the egress guard. The guard is for addresses that a caller names; this one is the operator's, as the
 * database's is, and in most places a private one, which the guard would refuse. No caller has a say in it: keys are
 * ours, and the store's redirects are not followed to other hosts.
 */
@Injectable()
export class S3Storage extends Storage implements OnApplicationShutdown {
  private readonly client: S3Client;
  private readonly bucket: string;
  private probe: { readonly at: number; readonly result: Promise<void> } | undefined;

  constructor(
    { bucket, region, endpoint, credentials }: S3Settings,
    private readonly patience = PATIENCE,
  ) {
    super();
    this.bucket = bucket;
    this.client = new S3Client({
      region,
      maxAttempts: TRIES,
      retryMode: 'standard',
      requestHandler: {
        connectionTimeout: patience.connectMs,
        requestTimeout: patience.tryMs,
        // Otherwise the timeout is only a line in the log.
        throwOnRequestTimeout: true,
        httpAgent: AGENT,
        httpsAgent: AGENT,
      },
      // The signed SHA-256 is checked by every store; the SDK's own checksums are unknown to some, which refuse them.
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
    await this.store(key, bytes, this.patience.callMs);
  }

  async read(key: string, range?: ByteRange): Promise<Readable> {
    assertKey(key);
    const command = new GetObjectCommand({
      Bucket: this.bucket,
      Key: key,
      ...(range && { Range: `bytes=${range.start}-${range.end}` }),
    });
    try {
      const { Body } = await callWithTimeout(this.patience.callMs, (abortSignal) =>
        this.client.send(command, { abortSignal }),
      );
      if (!(Body instanceof IncomingMessage)) throw new TypeError('The SDK gave no stream of the network');
      return failWhenStalled(Body, this.patience.tryMs);
    } catch (fault) {
      if (isMissing(fault)) throw new FileNotFoundError(key);
      throw new AppError('storage_unavailable', { cause: fault });
    }
  }

  async delete(key: string): Promise<void> {
    assertKey(key);
    const command = new DeleteObjectCommand({ Bucket: this.bucket, Key: key });
    try {
      await callWithTimeout(this.patience.callMs, (abortSignal) =>
        this.client.send(command, { abortSignal }),
      );
    } catch (fault) {
      // S3 itself calls a missing object deleted; some that speak like it do not.
      if (isMissing(fault)) return;
      throw new AppError('storage_unavailable', { cause: fault });
    }
  }

  /** A put is one request, never a multipart upload: one that is cut off leaves nothing in the bucket. */
  tidy(): Promise<void> {
    return Promise.resolve();
  }

  /** Only a write shows that a file can be stored; a success is believed for a while, or until a file is not stored. */
  check(): Promise<void> {
    const now = performance.now();
    if (this.probe && now - this.probe.at < PROBE_EVERY_MS) return this.probe.result;
    const result = this.store(PROBE_KEY, PROBE, this.patience.checkMs);
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
