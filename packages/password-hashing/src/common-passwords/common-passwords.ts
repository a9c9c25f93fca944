import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { callback, readOptions } from '@sallyport/plugin-kit/options';
import { CommonPasswordsSetupError } from './errors.js';
import { nameVariants, numberVariants } from './own-variants.js';
import { simplePatterns } from './simple-patterns.js';

export interface CommonPasswordsOptions {
  /**
   * What clients send in place of a password, such as its lower-case hex SM3: called with each common password. It must
   * be a pure function without salt; where clients salt, nobody can know their hashes beforehand. Required.
   */
  readonly digest: (password: string) => string;
  /** Milliseconds since the Unix epoch: years up to the next one are tried behind names. Default `Date.now`. */
  readonly now?: () => number;
}

/** Whose password it is to be. What is unknown is left out. */
export interface PasswordOwner {
  /** The name by which the user signs in; may be an e-mail address. */
  readonly username?: string;
  /** The mobile number of the user, in any form. */
  readonly mobile?: string;
}

export interface CommonPasswords {
  /**
   * Whether a password is among the commonest 10 000, a simple pattern, or made from the owner's name or number.
   * `clientHash` is what the client sent: it is compared with the digest of each of these, in either letter case, and
   * with each itself, for clients that hash nothing. Never rejects because of what the client sent.
   *
   * The first call computes the digests, about 30 000, in slices between which the event loop runs; later calls compute
   * only those of the owner's variants, one to nine thousand for a name. Nothing is logged.
   */
  isCommon(clientHash: string, owner?: PasswordOwner): Promise<boolean>;
}

/** Passwords between two turns of the event loop: one or two milliseconds of SM3 in JavaScript. */
const SLICE = 200;

/**
 * Tells whether what a client sends in place of a password is that of a common one.
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
      // A failed computation is tried again by the next call.
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

/** The list is in lower case, and many capitalise the first letter, since forms ask for an upper-case one. */
function* everybodysPasswords(list: Iterable<string>): Generator<string> {
  for (const passwords of [list, simplePatterns()]) {
    for (const password of passwords) {
      yield password;
      const [first = ''] = password;
      if (first !== first.toUpperCase()) yield first.toUpperCase() + password.slice(1);
    }
  }
}

/** The list is loaded when it is needed first: it is text of 80 KB. */
async function readList(): Promise<string[]> {
  const { mostCommon } = await import('./most-common.generated.js');
  return mostCommon.trim().split('\n');
}

/** Calls the function with each, until it returns true, and lets the event loop run in between. */
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
  // A promise, or an empty text, would be in no set, and every password would pass.
  if (typeof sample !== 'string' || sample === '') {
    throw new CommonPasswordsSetupError(owner.subject, ['digest must return a text, and not a promise of one']);
  }
  return options;
}
