import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { callback, readOptions } from '@sallyport/plugin-kit/options';
import { CommonPasswordsSetupError } from './errors.js';
import { nameVariants, numberVariants } from './own-variants.js';
import { simplePatterns } from './simple-patterns.js';

export interface CommonPasswordsOptions {
  /**
   * Returns the value that clients send in place of a password, such as its lower-case hex SM3. Called with each common
   * password. It must be a pure function without salt: salted hashes can't be computed in advance. Required.
   */
  readonly digest: (password: string) => string;
  /**
   * The clock, in milliseconds since the Unix epoch. Years up to the next one are tried after names. Default
   * `Date.now`.
   */
  readonly now?: () => number;
}

/** The future owner of the password. Leave out unknown members. */
export interface PasswordOwner {
  /** The name by which the user signs in; may be an e-mail address. */
  readonly username?: string;
  /** The mobile number of the user, in any form. */
  readonly mobile?: string;
}

export interface CommonPasswords {
  /**
   * Whether a password is among the commonest 10 000, a simple pattern, or made from the owner's name or number.
   * `clientHash` is the value that the client sent. It is compared with the digest of each of these passwords, in
   * either letter case, and with the password itself, for clients that do not hash. The call never rejects because of
   * the client's value.
   *
   * The first call computes the digests, about 30 000, in slices between which the event loop runs; later calls compute
   * only those of the owner's variants, one to nine thousand for a name. Nothing is logged.
   */
  isCommon(clientHash: string, owner?: PasswordOwner): Promise<boolean>;
}

/** The number of passwords between two turns of the event loop: one or two milliseconds of SM3 in JavaScript. */
const SLICE = 200;

/**
 * Checks whether the value that a client sends in place of a password belongs to a common password.
 *
 * @example
 * ```ts
 * const sent = (password: string) => hash('sm3', password, 'hex'); // what your clients send
 * const commonPasswords = createCommonPasswords({ digest: sent });
 *
 * assert.equal(await commonPasswords.isCommon(sent('iloveyou')), true);
 * assert.equal(await commonPasswords.isCommon(sent('woaini1314')), true);
 * assert.equal(await commonPasswords.isCommon(sent('88888888')), true);
 * assert.equal(await commonPasswords.isCommon(sent('LiHua2024'), { username: 'li.hua@example.com' }), true);
 * ```
 *
 * @throws CommonPasswordsSetupError naming every fault
 */
export function createCommonPasswords(given: CommonPasswordsOptions): CommonPasswords {
  const { digest, now } = readCommonPasswordsOptions(given);
  let known: Promise<ReadonlySet<string>> | undefined;

  async function computeKnown(): Promise<ReadonlySet<string>> {
    const digests = new Set<string>();
    await eachInSlices(everybodysPasswords(await readList()), (password) => {
      digests.add(password).add(digest(password));
      return false;
    });
    return digests;
  }

  return {
    async isCommon(clientHash, { username, mobile } = {}) {
      const sent = [clientHash, clientHash.toLowerCase()];
      // The next call repeats a failed computation.
      known ??= computeKnown().catch((error: unknown) => {
        known = undefined;
        throw error;
      });
      const digests = await known;
      if (sent.some((text) => digests.has(text))) return true;
      return eachInSlices(ownVariants({ username, mobile }, new Date(now()).getUTCFullYear()), (password) =>
        sent.some((text) => text === password || text === digest(password)),
      );
    },
  };
}

function* ownVariants(
  { username, mobile }: { username: string | undefined; mobile: string | undefined },
  year: number,
) {
  if (username !== undefined) yield* nameVariants(username, year);
  if (mobile !== undefined) yield* numberVariants(mobile);
}

/** The list is in lower case. Many people capitalise the first letter, because forms require an upper-case one. */
function* everybodysPasswords(list: Iterable<string>): Generator<string> {
  for (const passwords of [list, simplePatterns()]) {
    for (const password of passwords) {
      yield password;
      const [first = ''] = password;
      if (first !== first.toUpperCase()) yield first.toUpperCase() + password.slice(1);
    }
  }
}

/** The list is loaded on first use, because it is 80 KB of text. */
async function readList(): Promise<string[]> {
  const { mostCommon } = await import('./most-common.generated.js');
  return mostCommon.trim().split('\n');
}

/** Calls the function with each password until it returns true, and lets the event loop run in between. */
async function eachInSlices<Item>(items: Iterable<Item>, isFound: (item: Item) => boolean): Promise<boolean> {
  let count = 0;
  for (const item of items) {
    if (isFound(item)) return true;
    count += 1;
    if (count % SLICE === 0) await yieldToEventLoop();
  }
  return false;
}

const rules = {
  digest: callback<CommonPasswordsOptions['digest']>({ that: 'takes a password and returns what clients send for it' }),
  now: callback<() => number>({ that: 'returns milliseconds, such as Date.now', default: () => Date.now() }),
};

function readCommonPasswordsOptions(given: CommonPasswordsOptions): Required<CommonPasswordsOptions> {
  const owner = { subject: 'createCommonPasswords', SetupError: CommonPasswordsSetupError };
  const options = readOptions<Required<CommonPasswordsOptions>>(owner, given, rules);
  const sample: unknown = options.digest('sample');
  // A promise or an empty text would be in no set, so every password would pass.
  if (typeof sample !== 'string' || sample === '') {
    throw new CommonPasswordsSetupError(owner.subject, ['digest must return a text, and not a promise of one']);
  }
  return options;
}
