/** A span as a receiver of OTLP reads it (opentelemetry-proto, trace.proto); ids in hexadecimal digits. */
export interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a span without a parent. */
  readonly parentId: string;
  readonly traceState: string;
  readonly name: string;
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** The traces and spans that it links to. */
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** 2 for a span that failed. */
  readonly status: number;
}

/** Decodes an ExportTraceServiceRequest. */
export function decodeTraces(bytes: Buffer): ReceivedSpan[] {
  return read(bytes)
    .messages(1)
    .flatMap((resourceSpans) => {
      const { 'service.name': service } = attributesOf(resourceSpans.messages(1)[0]?.messages(1) ?? []);
      const spans = resourceSpans.messages(2).flatMap((scope) => scope.messages(2));
      return spans.map((span) => toSpan(span, String(service)));
    });
}

function toSpan(span: Message, service: string): ReceivedSpan {
  return {
    service,
    traceId: span.hex(1),
    spanId: span.hex(2),
    parentId: span.hex(4),
    traceState: span.text(3),
    name: span.text(5),
    kind: span.number(6),
    startMs: span.number(7) / 1e6,
    endMs: span.number(8) / 1e6,
    attributes: attributesOf(span.messages(9)),
    links: span.messages(13).map((link) => ({ traceId: link.hex(1), spanId: link.hex(2) })),
    status: span.messages(15)[0]?.number(3) ?? 0,
  };
}

function attributesOf(pairs: readonly Message[]): Record<string, string | number | boolean> {
  return Object.fromEntries(
    pairs.map((pair) => [pair.text(1), valueOf(pair.messages(2)[0] ?? read(Buffer.alloc(0)))]),
  );
}

function valueOf(value: Message): string | number | boolean {
  if (value.has(2)) return value.number(2) === 1;
  if (value.has(3)) return value.number(3);
  return value.has(4) ? value.double(4) : value.text(1);
}

/** A message of Protocol Buffers by its field numbers. */
class Message {
  constructor(private readonly fields: ReadonlyMap<number, readonly (Buffer | bigint)[]>) {}

  has(field: number): boolean {
    return this.fields.has(field);
  }

  messages(field: number): Message[] {
    return (this.fields.get(field) ?? []).map((value) => read(value as Buffer));
  }

  hex(field: number): string {
    return this.bytes(field).toString('hex');
  }

  text(field: number): string {
    return this.bytes(field).toString('utf8');
  }

  double(field: number): number {
    return this.bytes(field).readDoubleLE();
  }

  number(field: number): number {
    const value = this.fields.get(field)?.[0] ?? 0n;
    return Number(typeof value === 'bigint' ? value : value.readBigUInt64LE());
  }

  private bytes(field: number): Buffer {
    const value = this.fields.get(field)?.[0];
    return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
  }
}

/** Splits a message into its fields, by their wire types (protobuf.dev/programming-guides/encoding). */
function read(bytes: Buffer): Message {
  const fields = new Map<number, (Buffer | bigint)[]>();
  let at = 0;
  const varint = (): bigint => {
    for (let value = 0n, shift = 0n; ; shift += 7n) {
      const byte = BigInt(bytes.readUInt8(at++));
      value |= (byte & 0x7fn) << shift;
      if (byte < 0x80n) return value;
    }
  };
  const take = (length: number): Buffer => bytes.subarray(at, (at += length));
  const readers = [varint, () => take(8), () => take(Number(varint())), undefined, undefined, () => take(4)];
  while (at < bytes.length) {
    const tag = Number(varint());
    const value = readers[tag & 7]?.();
    if (value === undefined) throw new Error(`The wire type ${tag & 7} is not read.`);
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return new Message(fields);
}
