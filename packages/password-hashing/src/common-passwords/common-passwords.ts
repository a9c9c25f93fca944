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
  /** Words of the user's organisation, such as its name and those of its products. At most {@link MAX_WORDS}. */
  readonly words?: readonly string[];
}

export interface CommonPasswords {
  /**
   * Whether a password is among the commonest 10 000, a simple pattern, or made from the owner's name or number, or
   * from one of the words, each as a name.
   * `clientHash` is the value that the client sent. It is compared with the digest of each of these passwords, in
   * either letter case, and with the password itself, for clients that do not hash. The call never rejects because of
   * the client's value.
   *
   * The first call computes the digests, about 30 000, in slices between which the event loop runs; later calls compute
   * only those of the owner's variants, one to nine thousand for a name. Those of the words are kept until other words
   * are given. Nothing is logged.
   *
   * @throws TypeError if there are too many words
   */
  isCommon(clientHash: string, owner?: PasswordOwner): Promise<boolean>;
}

/** The maximum number of words. Each has a few thousand variants, so it bounds the digests that are kept. */
export const MAX_WORDS = 20;

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
  const everybodys = keepLatest();
  const ofWords = keepLatest();

  async function digestsOf(passwords: Iterable<string>): Promise<ReadonlySet<string>> {
    const digests = new Set<string>();
    await eachInSlices(passwords, (password) => {
      digests.add(password).add(digest(password));
      return false;
    });
    return digests;
  }

  return {
    async isCommon(clientHash, { username, mobile, words = [] } = {}) {
      if (words.length > MAX_WORDS) throw new TypeError(`isCommon takes at most ${MAX_WORDS} words`);
      const sent = [clientHash, clientHash.toLowerCase()];
      const year = new Date(now()).getUTCFullYear();
      const digests = await everybodys('', async () => digestsOf(everybodysPasswords(await readList())));
      if (sent.some((text) => digests.has(text))) return true;
      if (words.length > 0) {
        const wordDigests = await ofWords(JSON.stringify([year, words]), () => digestsOf(wordVariants(words, year)));
        if (sent.some((text) => wordDigests.has(text))) return true;
      }
      return eachInSlices(ownVariants({ username, mobile }, year), (password) =>
        sent.some((text) => text === password || text === digest(password)),
      );
    },
  };
}

/** Keeps the latest digests under their key. The next call repeats a failed computation. */
function keepLatest() {
  let latest: { readonly key: string; readonly digests: Promise<ReadonlySet<string>> } | undefined;
  return (key: string, compute: () => Promise<ReadonlySet<string>>): Promise<ReadonlySet<string>> => {
    if (latest?.key === key) return latest.digests;
    const digests = compute().catch((error: unknown) => {
      if (latest?.digests === digests) latest = undefined;
      throw error;
    });
    latest = { key, digests };
    return digests;
  };
}

function* wordVariants(words: readonly string[], year: number): Generator<string> {
  for (const word of words) yield* nameVariants(word, year);
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
