/** What the files in `vectors/` hold. `vectors/README.md` says what each member means. */

export interface Sm3Vector {
  readonly name: string;
  readonly message: string;
  readonly digest: string;
}

export interface Sm4GcmVector {
  readonly name: string;
  readonly key: string;
  readonly iv: string;
  readonly aad: string;
  readonly ct: string;
  /** Null: refused. */
  readonly plaintext: string | null;
}

export interface Sm2Vector {
  readonly name: string;
  readonly privateKey: string;
  readonly publicKey: string;
  /** Null: only unwrapping is checked. */
  readonly ephemeral: string | null;
  readonly ek: string;
  /** Null: refused. */
  readonly baseKey: string | null;
}

export interface HkdfVector {
  readonly name: string;
  readonly baseKey: string;
  readonly nonce: string;
  readonly kid: string;
  readonly prk: string;
  readonly requestKey: string;
  readonly responseKey: string;
}

export interface Base64urlVector {
  readonly name: string;
  readonly text: string;
  /** Null: refused. */
  readonly bytes: string | null;
}

export interface TargetVector {
  readonly name: string;
  readonly target: string;
  /** Null: refused. */
  readonly path: string | null;
  readonly query: string | null;
}

export interface BindingVector {
  readonly name: string;
  /** Null: the header is absent. */
  readonly value: string | null;
  /** Null: refused. */
  readonly field: string | null;
}

export interface BootstrapVector {
  readonly name: string;
  readonly body: string;
  readonly accepted: boolean;
}

export interface KeyEntry {
  readonly kid: string;
  readonly privateKey: string;
  readonly publicKey: string;
}

export interface VectorServer {
  readonly mode: 'OFF' | 'OPTIONAL' | 'REQUIRED';
  readonly exempt: boolean;
  readonly now: number;
  readonly notBefore: number | null;
  readonly timestampWindowSeconds: number;
  readonly replaySeconds: number;
  readonly maxPayloadBytes: number;
  readonly maxQueryBytes: number;
  readonly kids: readonly string[];
  readonly recorded: readonly (readonly [kid: string, nonce: string])[];
  readonly unavailable: 'key provider' | 'replay store' | null;
}

export interface HttpRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

export interface SealedAnswer {
  readonly status: number;
  readonly ts: number;
  readonly iv: string;
  readonly plaintext: string;
  readonly aad: string;
  readonly body: string;
}

export interface RequestVector {
  readonly name: string;
  readonly server: Partial<VectorServer>;
  readonly kid: string;
  readonly carrier: 'body' | 'query';
  readonly method: string;
  readonly path: string;
  readonly authorization: string | null;
  readonly idempotencyKey: string | null;
  readonly ts: number;
  readonly query: string;
  readonly body: string;
  readonly baseKey: string;
  readonly nonce: string;
  readonly iv: string;
  readonly ephemeral: string;
  readonly requestKey: string;
  readonly responseKey: string;
  readonly aad: string;
  readonly plaintext: string;
  readonly request: HttpRequest;
  readonly recordMillis: number;
  readonly response: SealedAnswer | null;
}

export interface RefusalVector {
  readonly name: string;
  readonly step: string;
  readonly server: Partial<VectorServer>;
  readonly request: HttpRequest;
  readonly status: number;
  readonly code: string;
}

export interface PlaintextVector {
  readonly name: string;
  readonly server: Partial<VectorServer>;
  readonly request: HttpRequest;
}

export interface ResponseVector {
  readonly name: string;
  readonly kid: string;
  readonly method: string;
  readonly path: string;
  readonly nonce: string;
  readonly responseKey: string;
  readonly now: number;
  readonly timestampWindowSeconds: number;
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly outcome: 'opened' | 'in the clear' | 'refused';
  readonly plaintext: string | null;
  readonly contentType: string | null;
}
