import { kernel } from '@sallyport/envelope-crypto/client/kernel';
import { sm2PublicKey } from '@sallyport/envelope-crypto/gm';
import type { Forged, Forgery, WireAnswer, WireRequest } from './forgeries.js';

/** What the attacker saw of one client. */
export interface Sightings {
  /** Requests in the clear before the first sealed one, and from it on. Exempt paths don't count. */
  clearBefore: number;
  clearAfter: number;
  sealed: number;
  /** Sealed requests that he read with his own key. */
  read: number;
  /** The names of the forgeries that he sent. */
  readonly forged: string[];
}

/** The attack on one client: which answers are forged. Null for the real ones. */
export interface Attack {
  readonly bootstrap: Forgery | null;
  readonly answer: Forgery | null;
}

export interface ManInTheMiddle {
  /** What the client gets. */
  handle(request: WireRequest): Promise<Forged>;
  /** What reaches the attacker's own origin, where redirects lead. */
  collect(request: WireRequest): void;
  /** Begins with another client. */
  watch(): Sightings;
  /** Forges from now on, or passes everything. */
  attack(attack: Attack | null): void;
}

export interface ManInTheMiddleOptions {
  /** The service. */
  forward(request: WireRequest): Promise<WireAnswer>;
  readonly ownOrigin: string;
  /** What only the plaintext of a request contains. */
  readonly secret: string;
}

/** The attacker's own key pair, which he offers instead of the service's. */
const OWN_PRIVATE_KEY = Uint8Array.from({ length: 32 }, (_, i) => (i * 37 + 11) % 251);
const ownKey = Buffer.from(sm2PublicKey(OWN_PRIVATE_KEY)).toString('hex');

const BOOTSTRAP_PATH = '/encryption/public-key';

/** An attacker on the connection between a client and its service. */
export function createManInTheMiddle({ forward, ownOrigin, secret }: ManInTheMiddleOptions): ManInTheMiddle {
  let current: Attack | null = null;
  let sightings = newSightings();
  let lastSealed: WireAnswer | null = null;

  function look(request: WireRequest): void {
    const isExempt = request.target.startsWith(BOOTSTRAP_PATH) || request.target === '/actuator/health';
    const text = decodeURIComponent(request.target) + request.body + JSON.stringify(request.headers);
    const isSealed = request.headers['api-encryption'] === 'v1' && !text.includes(secret);
    if (isSealed) {
      sightings.sealed += 1;
      if (readBy(OWN_PRIVATE_KEY, request, secret)) sightings.read += 1;
    } else if (!isExempt || text.includes(secret)) {
      if (sightings.sealed === 0) sightings.clearBefore += 1;
      else sightings.clearAfter += 1;
    }
  }

  async function knowledge() {
    const { body } = await forward({ method: 'GET', target: BOOTSTRAP_PATH, headers: {}, body: '' });
    return { bootstrap: JSON.parse(body).data as Record<string, unknown>, ownKey, lastSealed, ownOrigin };
  }

  return {
    async handle(request) {
      look(request);
      const isBootstrap = request.target.startsWith(BOOTSTRAP_PATH);
      const forgery = (isBootstrap ? current?.bootstrap : current?.answer) ?? null;
      if (forgery !== null) {
        sightings.forged.push(forgery.name);
        return forgery.forge(await knowledge());
      }
      const answer = await forward(request);
      if (answer.headers['api-encryption'] === 'v1') lastSealed = answer;
      return answer;
    },
    collect: look,
    watch() {
      sightings = newSightings();
      lastSealed = null;
      return sightings;
    },
    attack(attack) {
      current = attack;
    },
  };
}

function newSightings(): Sightings {
  return { clearBefore: 0, clearAfter: 0, sealed: 0, read: 0, forged: [] };
}

/** The kernel, since the attacker tries to open every request of thousands. */
const proven = kernel();

/** Whether the private key opens the envelope, and what it carries has the secret. */
function readBy(privateKey: Uint8Array, request: WireRequest, secret: string): boolean {
  const { method, target, headers, body } = request;
  const [path = '', query] = target.split('?__enc=');
  const text = query === undefined ? body : bytesOf(query).toString();
  const { kid, ts, nonce, ek, iv, ct } = JSON.parse(text) as Record<
    'kid' | 'ts' | 'nonce' | 'ek' | 'iv' | 'ct',
    string
  >;
  if (proven.kind !== 'ready') throw new Error(proven.reason);
  const { suite } = proven;
  const baseKey = suite.unwrapBaseKey(privateKey, bytesOf(ek));
  if (baseKey === null) return false;
  const { requestKey } = suite.deriveKeys(baseKey, bytesOf(nonce), kid);
  const token = headers.authorization?.slice('Bearer '.length);
  const authorization = token === undefined ? '-' : Buffer.from(suite.hashToken(token)).toString('base64url');
  const carrier = query === undefined ? 'body' : 'query';
  const bound = ['v1', 'sm2-sm4-gcm-v1', kid, carrier, ts, nonce, method, path, authorization];
  const aad = Buffer.from([...bound, headers['idempotency-key'] ?? '-'].join('\n'));
  const plaintext = suite.openMessage(requestKey, bytesOf(iv), aad, bytesOf(ct));
  return plaintext !== null && Buffer.from(plaintext).includes(secret);
}

const bytesOf = (text: string) => Buffer.from(text, 'base64url');
