import bcrypt from 'bcryptjs';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { cases } from '../../../scripts/test-properties.js';
import { readHash } from '../src/bcrypt-hash.js';
import { workOn } from '../src/bcrypt-work.js';
import { createPasswordHashing } from '../src/index.js';
import { openRecorded } from './recorded-workers.js';

const COST = 6;
const PASSWORD = 'secret of ada';
const right = bcrypt.hashSync(PASSWORD, COST);
const version = (name: string) => right.replace('$2b$', `$${name}$`);
const cost = (digits: string) => right.replace('$06$', `$${digits}$`);

/** Stored hashes that can't be verified. */
const UNUSABLE: Record<string, unknown> = {
  'an empty text': '',
  'a word': 'x',
  'a password': PASSWORD,
  'a huge text': right.repeat(20_000),
  'version 2': version('2'),
  'version 2x': version('2x'),
  'version 2z': version('2z'),
  'version 3': version('3'),
  'version 2B': version('2B'),
  'the cost above the ceiling': cost('15'),
  'the largest cost': cost('31'),
  'a cost above the largest': cost('32'),
  'cost 99': cost('99'),
  'cost 0': cost('00'),
  'cost 3': cost('03'),
  'a cost of one digit': cost('6'),
  'a cost of three digits': cost('006'),
  'no number as cost': cost('ab'),
  'a negative cost': cost('-6'),
  'a short salt': `${right.slice(0, 20)}${right.slice(21)}`,
  'a long salt': `${right.slice(0, 20)}a${right.slice(20)}`,
  'a character outside of the alphabet': `${right.slice(0, 20)}!${right.slice(21)}`,
  'a full-width character': `${right.slice(0, 20)}Ａ${right.slice(21)}`,
  'a salt with bits to spare': `${right.slice(0, 28)}/${right.slice(29)}`,
  'a digest with bits to spare': `${right.slice(0, 59)}/`,
  'a digest cut off': right.slice(0, 40),
  'a line end': `${right}\n`,
  'a blank before it': ` ${right}`,
  Argon2: '$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b27UA',
  'SHA-512': '$6$rounds=5000$saltsalt$abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz',
  undefined: undefined,
  'a number': 7,
  'a buffer': Buffer.from(right),
  'a list': [right],
};

describe('a stored hash', () => {
  afterEach(() => vi.restoreAllMocks());

  it.each(Object.entries(UNUSABLE))(
    'PWD-3 that is %s fails after the work of an unknown account, and an error is logged without it',
    async (_what, stored) => {
      const unknown = openRecorded({ cost: COST });
      expect(await unknown.verify('Wr0ng passw0rd', null)).toBe(false);
      expect(unknown.lines).toEqual([]);

      const passwords = openRecorded({ cost: COST }, async () => true);
      expect(await passwords.verify('Wr0ng passw0rd', stored as string)).toBe(false);
      expect(await passwords.verify('Wr0ng passw0rd', null)).toBe(false);
      const [task, taskOfNobody] = passwords.tasks;
      expect(task).toEqual(taskOfNobody);
      expect(task).toMatchObject({ cost: COST, hash: expect.stringMatching(/^\$2b\$06\$/) });
      expect(unknown.tasks.map(({ password, cost }) => ({ password, cost }))).toEqual([
        { password: task?.password, cost: task?.cost },
      ]);
      expect(passwords.lines).toEqual([expect.stringMatching(/^A stored password hash (?:is|does|has) /)]);
      expect(passwords.lines[0]).not.toContain('Wr0ng');
      for (const part of parts(stored)) expect(passwords.lines[0]).not.toContain(part);
      expect(passwords.isOutdated(stored as string)).toBe(false);
    },
  );

  it('PWD-3 every verification takes at least the work of an unknown account, and one task', async () => {
    const compare = vi.spyOn(bcrypt, 'compare');
    const hash = vi.spyOn(bcrypt, 'hash');
    const passwords = openRecorded({ cost: COST, maxCost: 8 }, (task) => workOn(task, () => {}));
    async function roundsFor(password: unknown, stored: unknown): Promise<number> {
      compare.mockClear();
      hash.mockClear();
      passwords.tasks.length = 0;
      expect(await passwords.verify(password as string, stored as string)).toBe(false);
      expect(passwords.tasks).toHaveLength(1);
      const compared = compare.mock.calls.map(([, against]) => bcrypt.getRounds(against));
      const hashed = hash.mock.calls.map(([, at]) => Number(at));
      return [...compared, ...hashed].reduce((sum, at) => sum + 2 ** at, 0);
    }
    const wrong = 'Wr0ng passw0rd';
    const stored = [null, right, cost('05'), cost('04'), bcrypt.hashSync('x', 4), ...Object.values(UNUSABLE)];
    for (const each of stored) expect(await roundsFor(wrong, each)).toBe(2 ** COST);
    for (const password of ['', 'x'.repeat(73), 'a\0a', '\ud800', 7, undefined]) {
      for (const each of [null, right, cost('04'), '$2x$']) expect(await roundsFor(password, each)).toBe(2 ** COST);
    }
    // What the README says: a hash above `cost` takes more, up to maxCost.
    expect(await roundsFor(wrong, cost('08'))).toBe(2 ** 8);
  });

  it('PWD-3 of a random text never rejects, never throws, and never matches', async () => {
    const passwords = createPasswordHashing({ cost: 4, maxCost: 4, threads: 1 });
    const alphabet = [...'./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789$'];
    const near = fc
      .tuple(fc.constantFrom('2a', '2b', '2y', '2x', '2', '3', 'argon2id'), fc.integer({ min: 0, max: 99 }), texts(53))
      .map(([name, at, rest]) => `$${name}$${String(at).padStart(2, '0')}$${rest}`);
    function texts(length: number) {
      return fc
        .array(fc.constantFrom(...alphabet), { minLength: length - 1, maxLength: length + 1 })
        .map((all) => all.join(''));
    }
    const changed = fc
      .tuple(fc.nat(59), fc.string({ minLength: 0, maxLength: 2, unit: 'binary' }))
      .map(([at, text]) => `${right.slice(0, at)}${text}${right.slice(at + 1)}`)
      .filter((text) => text !== right);
    try {
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), texts(60), near, changed),
          fc.string({ unit: 'binary', maxLength: 80 }),
          async (stored, password) => {
            expect(await passwords.verify(password, stored)).toBe(false);
            expect(typeof passwords.isOutdated(stored)).toBe('boolean');
          },
        ),
        { numRuns: cases(200) },
      );
    } finally {
      await passwords.close();
    }
  });

  it('PWD-3 is verified in the versions 2a, 2b and 2y as other implementations write them', async () => {
    const passwords = createPasswordHashing({ cost: 4, threads: 1 });
    // Written by libxcrypt 4.4.33: crypt(password, '$2y$05$abcdefghijklmnopqrstuu'). The first one is also the first
    // test vector of crypt_blowfish.
    const vectors: readonly (readonly [string, string, string])[] = [
      ['U*U', '$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', '2a'],
      ['U*U', '$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', '2y'],
      ['passéword', '$05$abcdefghijklmnopqrstuuUjhWpZqm5GaMzBUismwg6kl.yjD0Aaq', '2a'],
      ['passéword', '$05$abcdefghijklmnopqrstuuUjhWpZqm5GaMzBUismwg6kl.yjD0Aaq', '2b'],
      ['passéword', '$05$abcdefghijklmnopqrstuuUjhWpZqm5GaMzBUismwg6kl.yjD0Aaq', '2y'],
      ['x'.repeat(72), '$05$abcdefghijklmnopqrstuujf8SX2ahXLwp9w/B.Y5XdysS6yR576q', '2y'],
    ];
    for (const [password, rest, name] of vectors) {
      expect(await passwords.verify(password, `$${name}${rest}`)).toBe(true);
      expect(await passwords.verify(`${password.slice(0, -1)}z`, `$${name}${rest}`)).toBe(false);
    }
    // What `$2x$` means for bytes above 127 is another computation, which bcryptjs does not know.
    expect(await passwords.verify('passéword', '$2x$05$abcdefghijklmnopqrstuuQhllXA9w2albzOJCv0nxK0sF9eCBsYi')).toBe(
      false,
    );
    await passwords.close();
  });

  it('PWD-3 of every hash that bcryptjs writes can be read', () => {
    for (let number = 0; number < 50; number += 1) {
      expect(readHash(bcrypt.hashSync(`password ${number}`, 4))).toEqual({ cost: 4 });
    }
  });
});

/** Pieces of a stored value that would give it away. */
function parts(stored: unknown): string[] {
  const text = typeof stored === 'string' ? stored : '';
  return Array.from({ length: Math.min(20, Math.floor(text.length / 8)) }, (_, index) =>
    text.slice(index * 8, index * 8 + 8),
  );
}
