import { callback, group, nullable, objectWith, option, readOptions, wholeNumber } from '@sallyport/plugin-kit/options';
import { keyPrefixRule, MAX_TTL_MILLIS, type TtlStore } from '@sallyport/ttl-store';
import { CaptchaSetupError } from './errors.js';
import { PROOF_OF_WORK_DEFAULTS, type ProofOfWorkParameters, proofOfWorkRule } from './proof-of-work/index.js';
import type { CaptchaRenderer } from './renderer.js';

/** The question to a provider. */
export interface ExternalAnswer {
  /** The token that the page got from the provider's script. */
  readonly token: string;
  /** The address of the client. Undefined if it was not given to `redeem`. */
  readonly clientIp: string | undefined;
  /** The purpose of the captcha. Compare it with the provider's `action`, if it has one. */
  readonly purpose: string;
  /** Aborted when the time is over. Pass it to `fetch`. */
  readonly signal: AbortSignal;
}

/** A provider of captchas, such as Turnstile, hCaptcha or reCAPTCHA. */
export interface ExternalCaptchas {
  /** Whether the provider accepts the token. Only `true` is accepted. A rejection is answered with 503. */
  readonly verify: (answer: ExternalAnswer) => boolean | Promise<boolean>;
  /** The time limit of the provider, in milliseconds, 1 to 60 000. Default 5000. */
  readonly timeoutMillis?: number;
}

/** Options of `createCaptchas`. */
export interface CaptchasOptions {
  /** The store of unanswered captchas. Several processes need a shared store. Required. */
  readonly store: Pick<TtlStore, 'set' | 'take'>;
  /** Draws the pictures: `createImageRenderer()` of @sallyport/captcha/image. Default: none; no pictures are issued. */
  readonly renderer?: CaptchaRenderer | null;
  /**
   * The cost of a proof of work: an object, in which a missing value has its default; or a function that returns one.
   * It is called for each captcha, so that dynamic parameters fit. Default: see {@link ProofOfWorkParameters}.
   */
  readonly proofOfWork?:
    | Partial<ProofOfWorkParameters>
    | (() => Partial<ProofOfWorkParameters> | Promise<Partial<ProofOfWorkParameters>>);
  /** A provider. Default: none; no external captchas are issued. */
  readonly external?: ExternalCaptchas | null;
  /** The lifetime of a captcha, in seconds, 1 to 3600. Default 120. */
  readonly validSeconds?: number;
  /** Put before every key in the store, 1 to 256 bytes. Default `captcha:`. */
  readonly keyPrefix?: string;
  /** The number of proofs that are checked at once, 1 to 64. Default 2 of the 4 threads that Node.js has by default. */
  readonly maxConcurrentProofs?: number;
  /**
   * The number of proofs that may wait, 0 to 10 000. Default 100: they wait two seconds at most. More are refused, 503.
   */
  readonly maxWaitingProofs?: number;
  /**
   * The number of proofs of one client that are checked or wait, 1 to 10 000. More are refused, 503. Default 8, so that
   * no client can occupy the queue. See `client` of `redeem`.
   */
  readonly maxProofsForClient?: number;
}

/** The defaults of {@link CaptchasOptions}. */
export const CAPTCHA_DEFAULTS = {
  renderer: null,
  proofOfWork: PROOF_OF_WORK_DEFAULTS,
  external: null,
  validSeconds: 120,
  keyPrefix: 'captcha:',
  maxConcurrentProofs: 2,
  maxWaitingProofs: 100,
  maxProofsForClient: 8,
} as const satisfies Required<Omit<CaptchasOptions, 'store'>>;

/** The default time limit of a provider, in milliseconds. */
const DEFAULT_PROVIDER_MILLIS = 5000;

/** The upper limit: no client waits longer for an answer. */
const MAX_PROVIDER_MILLIS = 60_000;

/** The longest lifetime. With longer-lived captchas, a client could collect answers. */
const MAX_VALID_SECONDS = Math.min(3600, MAX_TTL_MILLIS / 1000);

/** The upper bound, which exceeds the threads of any pool of Node.js. */
const MAX_CONCURRENT_PROOFS = 64;

/** With more, the last one would wait for minutes. */
const MAX_WAITING_PROOFS = 10_000;

/** Validated options. */
export interface ValidOptions extends Required<Omit<CaptchasOptions, 'external' | 'proofOfWork'>> {
  readonly external: Required<ExternalCaptchas> | null;
  readonly proofOfWork: () => ProofOfWorkParameters | Promise<ProofOfWorkParameters>;
}

const rules = {
  store: objectWith<CaptchasOptions['store']>({
    methods: ['set', 'take'],
    meaning: 'a store with set and take, such as one of @sallyport/ttl-store',
  }),
  renderer: nullable(
    callback<CaptchaRenderer>({ that: 'draws a text, such as createImageRenderer() of @sallyport/captcha/image' }),
  ),
  proofOfWork: option<ValidOptions['proofOfWork']>({
    meaning: 'an object, or a function that returns one',
    accepts: (value) => typeof value === 'function' || (typeof value === 'object' && value !== null),
    faults: (value: unknown, name) => (typeof value === 'function' ? [] : proofOfWorkRule.faults(value, name)),
    read(value: unknown) {
      if (typeof value === 'function') return async () => readParameters(await value());
      const parameters = proofOfWorkRule.read(value);
      return () => parameters;
    },
    default: () => PROOF_OF_WORK_DEFAULTS,
    members: proofOfWorkRule.members ?? [],
  }),
  external: nullable(
    group<Required<ExternalCaptchas>>({
      verify: callback({ that: 'asks the provider about { token, clientIp, purpose, signal }' }),
      timeoutMillis: wholeNumber({
        min: 1,
        max: MAX_PROVIDER_MILLIS,
        unit: 'milliseconds',
        default: DEFAULT_PROVIDER_MILLIS,
      }),
    }),
  ),
  validSeconds: wholeNumber({
    min: 1,
    max: MAX_VALID_SECONDS,
    unit: 'seconds',
    default: CAPTCHA_DEFAULTS.validSeconds,
  }),
  keyPrefix: keyPrefixRule({ default: CAPTCHA_DEFAULTS.keyPrefix }),
  maxConcurrentProofs: wholeNumber({
    min: 1,
    max: MAX_CONCURRENT_PROOFS,
    default: CAPTCHA_DEFAULTS.maxConcurrentProofs,
  }),
  maxWaitingProofs: wholeNumber({ min: 0, max: MAX_WAITING_PROOFS, default: CAPTCHA_DEFAULTS.maxWaitingProofs }),
  maxProofsForClient: wholeNumber({ min: 1, max: MAX_WAITING_PROOFS, default: CAPTCHA_DEFAULTS.maxProofsForClient }),
};

/** @throws CaptchaSetupError naming every fault */
export function readCaptchasOptions(given: CaptchasOptions): ValidOptions {
  return readOptions<ValidOptions>({ subject: 'createCaptchas', SetupError: CaptchaSetupError }, given, rules);
}

/** Validates the result of the function `proofOfWork`. @throws CaptchaSetupError naming every fault */
function readParameters(given: unknown): ProofOfWorkParameters {
  const faults = proofOfWorkRule.faults(given, 'proofOfWork()');
  if (faults.length > 0) throw new CaptchaSetupError('createCaptchas', faults);
  return proofOfWorkRule.read(given);
}
