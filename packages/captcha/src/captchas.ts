import { randomBytes } from 'node:crypto';
import { createBoundedCall } from '@sallyport/plugin-kit/deadlines';
import { warnOfMemoryStore } from '@sallyport/ttl-store';
import { checkIssue, checkRedeem } from './call-arguments.js';
import { CaptchaProviderUnavailableError, CaptchaRequestRefusedError } from './errors.js';
import { asksForProof, asksForText, CAPTCHA_KINDS, type CaptchaKind } from './kinds.js';
import { type CaptchasOptions, readCaptchasOptions, type ValidOptions } from './options.js';
import { ALPHABET, isSameText, newText } from './picture-text.js';
import { challengeOf, createVerifications, isProof } from './proof-of-work/index.js';
import type { ProofOfWorkChallenge } from './puzzle.js';

/** The requested captcha. */
export interface CaptchaRequest {
  /** One of {@link Captchas.kinds}. */
  readonly kind: CaptchaKind;
  /** The purpose of the captcha, such as `login`: 1 to 64 lower-case letters, digits and hyphens, a letter first. */
  readonly purpose: string;
}

/** The captcha for the client. Send it unchanged. */
export interface Captcha {
  /** 128 random bits, in base64url. The client returns it with the answer. */
  readonly key: string;
  readonly kind: CaptchaKind;
  readonly expiresInSeconds: number;
  /** The picture, a data URI. Kinds `image` and `both`. */
  readonly image?: string;
  /** The characters of which its text consists: for the page, and for who hears it. Kinds `image` and `both`. */
  readonly alphabet?: string;
  /** The proof of work. Kinds `proof-of-work` and `both`. */
  readonly challenge?: ProofOfWorkChallenge;
}

/** The answer of a client, and its purpose. */
export interface CaptchaAnswer {
  /** The purpose with which the captcha was issued. */
  readonly purpose: string;
  /** The kinds that are accepted for the purpose at present. */
  readonly kinds: readonly CaptchaKind[];
  readonly key: string;
  /** The text of the picture. */
  readonly code?: string | undefined;
  /** The proof of work, or the provider's token. */
  readonly proof?: string | undefined;
  /** The address of the client, which is passed to a provider. */
  readonly clientIp?: string | undefined;
  /**
   * The client whose proofs `maxProofsForClient` bounds: a counter key, such as that of `counterKey` of
   * @sallyport/client-ip, which counts IPv6 by its /64. Default: `clientIp`. Without both, the proofs of a client are
   * not bounded.
   */
  readonly client?: string | undefined;
}

/**
 * The engine, for use without Fastify. Each call rejects with a TypeError for a misspelt member of its argument, so
 * don't pass on a whole body.
 */
export interface Captchas {
  /** The kinds that this engine can issue: pictures need a renderer, external captchas a provider. */
  readonly kinds: readonly CaptchaKind[];
  /** @throws {CaptchaRequestRefusedError} if the kind can't be issued, or the purpose is malformed: a TypeError, 400 */
  issue(request: CaptchaRequest): Promise<Captcha>;
  /**
   * Whether the answer is right, for this purpose and by an accepted kind. Any answer, right or wrong, uses the captcha
   * up. Of parallel answers at most one is accepted.
   *
   * @throws {CaptchaRequestRefusedError} if `purpose` is malformed: a TypeError, 400; nothing was used up
   * @throws TypeError if `kinds` is malformed: a mistake of the caller; nothing was used up
   * @throws {CaptchaBusyError} if too many proofs are being checked, or too many of this client; nothing was used up
   * @throws {CaptchaProviderUnavailableError} if the provider does not answer; the answer is not accepted
   */
  redeem(answer: CaptchaAnswer): Promise<boolean>;
}

/** The stored record of a captcha. It contains its own parameters, so that a change of them does not invalidate it. */
interface StoredCaptcha {
  readonly kind: CaptchaKind;
  readonly purpose: string;
  /**
   * In plain text, because a hash of such a short text can be guessed, and a reader of the store also has the sessions.
   */
  readonly text?: string;
  readonly challenge?: ProofOfWorkChallenge;
}

const KEY_BYTES = 16;
const KEY = /^[A-Za-z0-9_-]{22}$/;
const PURPOSE = /^[a-z][a-z0-9-]{0,63}$/;

/** The maximum number of calls to a hanging provider. Further calls are refused at once. */
const MAX_UNSETTLED_CALLS = 1000;

/**
 * Issues captchas and checks their answers.
 *
 * @example
 * ```ts
 * const captchas = createCaptchas({ store: createMemoryStore() });
 * const purpose = 'register';
 * const app = Fastify();
 *
 * app.get('/captcha', async () => ({ data: await captchas.issue({ kind: 'proof-of-work', purpose }) }));
 *
 * app.post<{ Body: { name: string; key: string; proof: string } }>('/accounts', async ({ body, ip }, reply) => {
 *   const { name, key, proof } = body;
 *   const isAnswered = await captchas.redeem({ purpose, kinds: ['proof-of-work'], key, proof, clientIp: ip });
 *   if (!isAnswered) return reply.code(400).send({ message: 'Answer a new captcha' });
 *   return reply.code(201).send({ name });
 * });
 * ```
 *
 * @throws CaptchaSetupError naming every fault of the options
 */
export function createCaptchas(given: CaptchasOptions): Captchas {
  const options = readCaptchasOptions(given);
  const { store, renderer, proofOfWork, validSeconds, keyPrefix } = options;
  const losses = 'a restart forgets the captchas that were issued, and another process knows none of them';
  warnOfMemoryStore({ subject: 'captcha', store, losses });
  const kinds = CAPTCHA_KINDS.filter((kind) => canIssue(kind, options));
  const verifications = createVerifications({
    maxConcurrent: options.maxConcurrentProofs,
    maxWaiting: options.maxWaitingProofs,
    maxForClient: options.maxProofsForClient,
  });
  const askProvider = providerCall(options);

  /** Takes the captcha from the store, for any answer. */
  async function take({ key, purpose, kinds: sufficient }: CaptchaAnswer): Promise<StoredCaptcha | null> {
    const stored = readStored(await store.take(keyPrefix + key));
    if (stored === null) return null;
    return stored.purpose === purpose && sufficient.includes(stored.kind) ? stored : null;
  }

  async function isRight(stored: StoredCaptcha, answer: CaptchaAnswer, check: typeof isProof): Promise<boolean> {
    const { key, code = '', proof = '' } = answer;
    // The picture is checked first, so that a wrong text costs no evaluation.
    if (asksForText(stored.kind) && (stored.text === undefined || !isSameText(stored.text, code))) return false;
    if (!asksForProof(stored.kind)) return true;
    return stored.challenge !== undefined && check(stored.challenge, key, proof);
  }

  return {
    kinds,

    async issue(request) {
      checkIssue(request);
      const { kind, purpose } = request;
      if (!kinds.includes(kind)) {
        throw new CaptchaRequestRefusedError(
          `captchas.issue: kind must be one of ${kinds.join(', ')}${howToIssue(kind)}`,
        );
      }
      checkPurpose('issue', purpose);
      const key = randomBytes(KEY_BYTES).toString('base64url');
      const text = asksForText(kind) ? newText() : undefined;
      const challenge = asksForProof(kind) ? challengeOf(purpose, await proofOfWork()) : undefined;
      const image = text === undefined ? undefined : (await renderer?.(text))?.image;
      const stored = { kind, purpose, text, challenge };
      await store.set(keyPrefix + key, JSON.stringify(stored), validSeconds * 1000);
      return {
        key,
        kind,
        expiresInSeconds: validSeconds,
        ...(image !== undefined && { image, alphabet: ALPHABET }),
        ...(challenge !== undefined && { challenge }),
      };
    },

    async redeem(given) {
      checkRedeem(given);
      checkPurpose('redeem', given.purpose);
      checkKinds(given.kinds, kinds);
      const answer = { ...given, code: textOf(given.code), proof: textOf(given.proof) };
      if (typeof answer.key !== 'string' || !KEY.test(answer.key)) return false;
      const { proof, client = answer.clientIp } = answer;
      const judge = async (check: typeof isProof): Promise<boolean | 'ask-provider'> => {
        const stored = await take(answer);
        if (stored === null) return false;
        return stored.kind === 'external' ? 'ask-provider' : isRight(stored, answer, check);
      };
      // A proof is admitted before its captcha is taken, so that a refusal does not use the captcha up.
      const verdict = proof === '' ? await judge(isProof) : await verifications.admit(client, judge);
      // A provider takes long, so it is asked after the place among the proofs is free again.
      return verdict === 'ask-provider' ? proof !== '' && askProvider(proof, answer) : verdict;
    },
  };
}

/** Null for a missing record, and for one that this version did not write. The client then needs a new captcha. */
function readStored(value: string | null): StoredCaptcha | null {
  try {
    const stored: unknown = JSON.parse(value ?? 'null');
    return typeof stored === 'object' ? (stored as StoredCaptcha | null) : null;
  } catch {
    return null;
  }
}

/** A hint about the option that a kind needs. Empty for an unknown kind. */
function howToIssue(kind: CaptchaKind): string {
  if (asksForText(kind)) return `; for ${kind}, give createCaptchas the option renderer`;
  return kind === 'external' ? '; for external, give createCaptchas the option external' : '';
}

/** A purpose is usually written in the program. If it comes from a query, the client gets 400 and not 500. */
function checkPurpose(verb: string, purpose: unknown): void {
  if (typeof purpose === 'string' && PURPOSE.test(purpose)) return;
  throw new CaptchaRequestRefusedError(
    `captchas.${verb}: purpose must be 1 to 64 lower-case letters, digits and hyphens, a letter first`,
  );
}

/** Without a kind that is issued here, no answer could be right. */
function checkKinds(given: unknown, issued: readonly CaptchaKind[]): void {
  const isList = Array.isArray(given) && given.length > 0 && given.every((kind) => CAPTCHA_KINDS.includes(kind));
  if (!isList)
    throw new TypeError(`captchas.redeem: kinds must be a list of one or more of ${CAPTCHA_KINDS.join(', ')}`);
  if (given.some((kind) => issued.includes(kind))) return;
  throw new TypeError(`captchas.redeem: kinds must have one that is issued here: ${issued.join(', ')}`);
}

/** The value that a client sent, if it is a text. A route without a schema may pass on anything. */
function textOf(given: unknown): string {
  return typeof given === 'string' ? given : '';
}

function canIssue(kind: CaptchaKind, { renderer, external }: ValidOptions): boolean {
  if (asksForText(kind)) return renderer !== null;
  return kind !== 'external' || external !== null;
}

/** Asks the provider. The calls are bounded in time and in number. */
function providerCall({ external }: ValidOptions): (token: string, answer: CaptchaAnswer) => Promise<boolean> {
  if (external === null) return async () => false;
  const { verify, timeoutMillis } = external;
  const toError = (cause: unknown) => new CaptchaProviderUnavailableError({ cause });
  const call = createBoundedCall({ timeoutMillis, maxUnsettled: MAX_UNSETTLED_CALLS, toError });
  return (token, { clientIp, purpose }) =>
    call(async () => (await verify({ token, clientIp, purpose, signal: AbortSignal.timeout(timeoutMillis) })) === true);
}
