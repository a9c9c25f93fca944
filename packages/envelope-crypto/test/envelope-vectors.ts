import { readFileSync } from 'node:fs';

/** `envelope_v1.json`, written by an independent implementation. The names are those of the file. */
export interface VectorServer {
  readonly mode: 'OFF' | 'OPTIONAL' | 'REQUIRED';
  readonly exempt: boolean;
  readonly now: number;
  readonly startedAt: number | null;
  readonly timestampWindowSeconds: number;
  readonly replayTtlSeconds: number;
  readonly maxPayloadBytes: number;
  readonly maxQueryBytes: number;
  readonly kids: readonly string[];
  readonly recorded: readonly (readonly [string, string])[];
  readonly storeUnreachable: boolean;
  readonly keyProviderUnreachable: boolean;
}

export interface VectorRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string;
  readonly bodyHex?: string;
}

interface VectorCase {
  readonly name: string;
  readonly server: VectorServer;
  readonly request: VectorRequest;
}

export interface Positive extends VectorCase {
  readonly kid: string;
  readonly carrier: 'body' | 'query';
  readonly method: string;
  readonly path: string;
  readonly token: string | null;
  readonly idempotencyKey: string | null;
  readonly ts: number;
  readonly nonce: string;
  readonly baseKey: string;
  readonly iv: string;
  readonly k: string | null;
  readonly query: string | null;
  readonly body: string | null;
  readonly plaintext?: string;
  readonly plaintextHex?: string;
  readonly requestKey: string;
  readonly responseKey: string;
  readonly aad: string;
  readonly envelope: Readonly<Record<string, string | number>>;
  readonly envelopeText?: string;
  readonly recordMillis: number;
  readonly response: {
    readonly status: number;
    readonly ts: number;
    readonly iv: string;
    readonly plaintext: string;
    readonly aad: string;
    readonly envelope: Readonly<Record<string, string | number>>;
  } | null;
}

interface Negative extends VectorCase {
  readonly change: string;
  readonly expected: { readonly status: number; readonly code: string };
}

interface ResponseCase {
  readonly name: string;
  readonly kid: string;
  readonly method: string;
  readonly path: string;
  readonly nonce: string;
  readonly responseKey: string;
  readonly now: number;
  readonly timestampWindowSeconds: number;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
  readonly expected: 'opens' | 'plaintext' | 'refused';
  readonly plaintext?: string;
  readonly contentType?: string;
}

interface EnvelopeVectors {
  readonly keys: readonly { readonly kid: string; readonly privateKey: string; readonly publicKey: string }[];
  readonly positives: readonly Positive[];
  readonly negatives: readonly Negative[];
  readonly clear: readonly VectorCase[];
  readonly responses: readonly ResponseCase[];
}

export const vectors: EnvelopeVectors = JSON.parse(
  readFileSync(new URL('./vectors/envelope_v1.json', import.meta.url), 'utf8'),
);

export const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'));

/** The private keys, passed below the start-up check, which refuses them. */
export const privateKeys: ReadonlyMap<string, Uint8Array> = new Map(
  vectors.keys.map(({ kid, privateKey }) => [kid, hex(privateKey)]),
);

/** The bytes of a vector's request body. */
export function bodyOf(request: VectorRequest): Buffer {
  return request.bodyHex === undefined ? Buffer.from(request.body ?? '') : Buffer.from(request.bodyHex, 'hex');
}

/** The plaintext of a vector's envelope. */
export function plaintextOf(positive: Positive): Buffer {
  return positive.plaintextHex === undefined
    ? Buffer.from(positive.plaintext ?? '')
    : Buffer.from(positive.plaintextHex, 'hex');
}
