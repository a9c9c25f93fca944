import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { sm3 } from '@sallyport/envelope-crypto/gm';
import { describe, expect, test, vi } from 'vitest';
import { listFile, listSource } from '../../common-passwords/list.mjs';
import { createCommonPasswords, MAX_WORDS, type PasswordOwner } from '../../src/common-passwords/index.js';

const digest = (password: string): string => Buffer.from(sm3(Buffer.from(password))).toString('hex');

const now = () => Date.UTC(2026, 10, 23);
const common = createCommonPasswords({ digest, now });

/** Those of the passwords that are refused, of what clients send: the digest. */
async function refused(passwords: readonly string[], owner?: PasswordOwner): Promise<string[]> {
  const answers = await Promise.all(passwords.map((password) => common.isCommon(digest(password), owner)));
  return passwords.filter((_, index) => answers[index]);
}

describe('the list', () => {
  test('PWD-4 is what its command makes of its source', () => {
    expect(readFileSync(listFile, 'utf8')).toBe(listSource());
  });

  test('PWD-4 states its source and licence, and has 10 000 different passwords', async () => {
    const { mostCommon } = await import('../../src/common-passwords/most-common.generated.js');
    const passwords = mostCommon.trim().split('\n');
    expect(new Set(passwords).size).toBe(10_000);
    expect(passwords.slice(0, 3)).toEqual(['123456', 'password', '12345678']);
    expect(readFileSync(listFile, 'utf8')).toMatch(/Source: .*@zxcvbn-ts\/language-common .*licence MIT/);
    expect(readFileSync(new URL('../../common-passwords/LICENSE', import.meta.url), 'utf8')).toContain('Dropbox');
  });

  test('PWD-4 every one of its passwords is refused by its hash, as it stands and capitalised', async () => {
    const { mostCommon } = await import('../../src/common-passwords/most-common.generated.js');
    const every40th = mostCommon
      .trim()
      .split('\n')
      .filter((_, rank) => rank % 40 === 0 || rank > 9990);
    expect(await refused(every40th)).toEqual(every40th);
    expect(await refused(['Password', 'Qwerty123', 'Dragon'])).toHaveLength(3);
  });
});

describe('common passwords', () => {
  test('PWD-4 refuses simple patterns, which the list lacks', async () => {
    const patterns = ['88888888', 'aaaaaaaa', '123123123', '121212', '87654321', 'abcdefgh', 'qwertyui', '1q2w3e4r5t'];
    const chinese = ['5201314', 'woaini1314', 'a123456789', 'qq123456', '1qaz2wsx3edc'];
    expect(await refused([...patterns, ...chinese])).toEqual([...patterns, ...chinese]);
  });

  test('PWD-4 accepts what is none of these', async () => {
    const good = ['sallyport-dev', 'correct horse battery', 'Tr0ub4dor&3', 'kf83-hq02-mmx1', '中文密码也可以', ''];
    expect(await refused(good, { username: 'li.hua', mobile: '+8613812345678' })).toEqual([]);
  });

  test('PWD-4 refuses variants of the own name, and of nobody else', async () => {
    const variants = [
      ...['morgana', 'Morgana', 'MORGANA', 'morgana123', 'Morgana2026', 'morgana1987', 'anagrom', 'morganamorgana'],
      ...['m0rg@n@', 'M0rg4n4', 'morgana!', 'Morgana@2027', '123morgana', 'morgana520'],
    ];
    expect(await refused(variants, { username: ' Morgana ' })).toEqual(variants);
    expect(await refused(variants, { username: 'somebody' })).toEqual([]);
    expect(await refused(variants)).toEqual([]);
  });

  test('PWD-4 refuses a long name as it stands, and does not extend it', async () => {
    const username = 'a.very.long.name.of.an.account@example.com';
    const passwords = [username, username.toUpperCase(), `${username}123`, 'averylongnameofanaccount123'];
    expect(await refused(passwords, { username })).toEqual([passwords[0], passwords[1], passwords[3]]);
  });

  test('PWD-4 refuses variants of the parts of a name', async () => {
    const variants = ['hua.lin', 'hualin123', 'linhua2024', 'HuaLin2024', 'LinHua!', 'Hua1990', 'initech123'];
    expect(await refused(variants, { username: 'hua.lin@initech.example' })).toEqual(variants);
  });

  test('PWD-4 refuses variants of the words of an organisation', async () => {
    const words = ['Initech', 'Acme Corp', '初创科技'];
    const variants = ['initech', 'Initech2026', '1n173ch!', 'acmecorp123', 'Corp@2027', 'AcmeCorp', '初创科技123'];
    expect(await refused(variants, { words })).toEqual(variants);
    expect(await refused(variants, { words, username: 'morgana', mobile: '+8613812345678' })).toEqual(variants);
    expect(await refused(variants, { words: ['Hooli'] })).toEqual([]);
    expect(await refused(['hooli123', 'morgana1'], { words: ['Hooli'], username: 'morgana' })).toHaveLength(2);
    // Two words together, and words within a sentence, are not known.
    expect(await refused(['initechacme', 'my initech is good'], { words })).toEqual([]);
  });

  test('PWD-4 computes the digests of words once, and those of other words when they come', async () => {
    const counted = vi.fn(digest);
    let time = now();
    const one = createCommonPasswords({ digest: counted, now: () => time });
    const callsFor = async (words: readonly string[]) => {
      const before = counted.mock.calls.length;
      await Promise.all([one.isCommon('a', { words }), one.isCommon('b', { words: [...words] })]);
      return counted.mock.calls.length - before;
    };
    await one.isCommon('a');
    const calls = await callsFor(['Initech', 'Acme Corp']);
    expect(calls).toBeGreaterThan(1000);
    expect(calls).toBeLessThan(2 * 9000);
    expect(await callsFor(['Initech', 'Acme Corp'])).toBe(0);
    expect(await callsFor(['Hooli'])).toBeGreaterThan(500);
    // A new year is tried after the words, too.
    time = Date.UTC(2027, 0, 1);
    expect(await callsFor(['Hooli'])).toBeGreaterThan(500);
    const tooMany = Array.from({ length: MAX_WORDS + 1 }, (_, index) => `word${index}`);
    await expect(one.isCommon('a', { words: tooMany })).rejects.toThrow('at most 20 words');
  });

  test('PWD-4 refuses endings of the own number', async () => {
    const endings = ['345678', '12345678', '13812345678', '8613812345678', '+8613812345678', '008613812345678'];
    expect(await refused(endings.slice(2), { mobile: '+86 138 1234 5678' })).toEqual(endings.slice(2));
    const unlisted = ['904713', '36904713', '87631740963'];
    expect(await refused(unlisted, { mobile: '+8613836904713' })).toEqual(unlisted.slice(0, 2));
    expect(await refused(unlisted, { mobile: '+4915100000000' })).toEqual([]);
  });

  test('PWD-4 compares the plain text, too, and hashes in upper-case hex', async () => {
    expect(await common.isCommon('password')).toBe(true);
    expect(await common.isCommon('PASSWORD')).toBe(true);
    expect(await common.isCommon(digest('password').toUpperCase())).toBe(true);
    expect(await common.isCommon('Morgana2026', { username: 'morgana' })).toBe(true);
    expect(await common.isCommon('kf83-hq02-mmx1')).toBe(false);
  });

  test('PWD-4 does nothing before the first question, and computes the digests of the list once', async () => {
    const counted = vi.fn(digest);
    const lazy = createCommonPasswords({ digest: counted, now });
    expect(counted.mock.calls.length).toBeLessThan(2);
    await Promise.all([lazy.isCommon('a'), lazy.isCommon('b')]);
    const calls = counted.mock.calls.length;
    await lazy.isCommon('c');
    expect(counted.mock.calls.length).toBe(calls);
  });

  test('PWD-4 the event loop runs while the digests are computed', async () => {
    const gaps: number[] = [];
    let last = performance.now();
    const timer = setInterval(() => {
      gaps.push(performance.now() - last);
      last = performance.now();
    }, 1);
    await createCommonPasswords({ digest, now }).isCommon('a');
    clearInterval(timer);
    expect(gaps.length).toBeGreaterThan(10);
  });

  test('PWD-4 bounds the work for a name, whatever the client wrote', async () => {
    const counted = vi.fn(digest);
    const bounded = createCommonPasswords({ digest: counted, now });
    await bounded.isCommon('a');
    const before = counted.mock.calls.length;
    for (const username of [
      'x'.repeat(10_000),
      'ab.'.repeat(5000),
      'abc.'.repeat(5000),
      '...',
      '',
      '\u0000',
      '😀'.repeat(99),
    ]) {
      expect(await bounded.isCommon('a', { username, mobile: '9'.repeat(10_000) })).toBe(false);
    }
    expect(counted.mock.calls.length - before).toBeLessThan(7 * 2 * 9000);
  });

  test('PWD-4 a digest that fails is tried again by the next question', async () => {
    let isBroken = false;
    const fragile = createCommonPasswords({
      digest: (password) => {
        if (isBroken) throw new Error('broken');
        return digest(password);
      },
    });
    isBroken = true;
    await expect(fragile.isCommon(digest('password'))).rejects.toThrow('broken');
    isBroken = false;
    expect(await fragile.isCommon(digest('password'))).toBe(true);
  });

  test('ADP-1 refuses a digest that is a promise: it would match nothing, and every password would pass', () => {
    const digestLater = (async () => 'digest') as unknown as () => string;
    expect(() => createCommonPasswords({ digest: digestLater })).toThrowError(
      expect.objectContaining({ code: 'COMMON_PASSWORDS_SETUP_INVALID', faults: [expect.stringContaining('digest')] }),
    );
  });
});
