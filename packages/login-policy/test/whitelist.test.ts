import { describe, expect, it } from 'vitest';
import { excludesCaller, ipWhitelistFault, LOGIN_POLICY_DEFAULTS, loginPolicyParameters } from '../src/index.js';
import { createTestEngine, inTurn, outcome, RIGHT, tally, WRONG } from './guesses.js';

const withWhitelist = (ipWhitelistValues: string) =>
  createTestEngine({ policy: { ipWhitelistEnabled: true, ipWhitelistValues } });

describe('the whitelist', () => {
  it('LGN-8 is off by default', async () => {
    const { engine } = createTestEngine();
    expect(await outcome(engine, { clientIp: '203.0.113.9' }, RIGHT)).toBe('in');
  });

  it.each(['', ' ', '\t'])('LGN-8 LP-26 on and empty (%o) refuses every sign-in', async (values) => {
    const { engine } = withWhitelist(values);
    for (const clientIp of ['127.0.0.1', '::1', '0.0.0.0', '192.0.2.7']) {
      expect(await outcome(engine, { clientIp }, RIGHT)).toBe('LOGIN_IP_REFUSED');
    }
  });

  it('LGN-8 LP-28 refuses before the password is verified, alike for every name, and counts nothing', async () => {
    const { engine } = withWhitelist('192.0.2.8');
    let verified = 0;
    const count = (verify: () => Promise<unknown>) => () => {
      verified += 1;
      return verify();
    };
    for (const username of ['ada', 'nobody']) {
      for (const verify of [RIGHT, WRONG]) {
        const subject = { username, terminal: 'web', clientIp: '192.0.2.7' };
        await expect(engine.attempt(subject, count(verify))).rejects.toMatchObject({
          code: 'LOGIN_IP_REFUSED',
          statusCode: 403,
          message: 'Sign-in is not allowed from this address',
        });
      }
    }
    expect(verified).toBe(0);
    const { counters } = await engine.explain({ username: 'ada', clientIp: '192.0.2.7' });
    expect(counters.map((report) => report.state === 'counting' && report.failures)).toEqual([0, 0, 0]);
  });

  it('LGN-8 LP-28 refuses an address before it reads locks, so that outsiders do not learn of them', async () => {
    let ipWhitelistEnabled = false;
    const policy = () => ({ ...LOGIN_POLICY_DEFAULTS, ipWhitelistEnabled });
    const { engine } = createTestEngine({ policy });
    expect(tally(await inTurn(engine, 6))).toEqual({ failed: 5, LOGIN_LOCKED: 1 });
    ipWhitelistEnabled = true;
    expect(await outcome(engine)).toBe('LOGIN_IP_REFUSED');
  });

  it.each([
    ['192.0.2.7', ['192.0.2.7', '::ffff:192.0.2.7'], ['192.0.2.8', '::c000:207']],
    ['10.0.0.0/8, 2001:db8::/32', ['10.255.0.1', '2001:db8:ffff::1'], ['11.0.0.1', '2001:db9::1', '::ffff:11.0.0.1']],
    ['10.1.2.3/8', ['10.9.9.9'], ['11.1.2.3']],
    ['::ffff:192.0.2.0/120', ['192.0.2.255'], ['192.0.3.0']],
    ['::ffff:c000:207', ['192.0.2.7'], ['192.0.2.8']],
    ['0.0.0.0/0', ['203.0.113.9'], ['2001:db8::1']],
    ['::/0', ['2001:db8::1'], ['203.0.113.9']],
    ['2001:DB8:0:0::7', ['2001:db8::7'], ['2001:db8::8']],
    ['2001:db8:1:2::7', ['2001:db8:1:2::7'], ['2001:db8:1:2::8']],
    [' 192.0.2.7 ,\t192.0.2.9/32 ', ['192.0.2.7', '192.0.2.9'], ['192.0.2.8']],
    ['::192.0.2.7', ['::c000:207'], ['192.0.2.7']],
  ])('LGN-8 "%s" admits %o and refuses %o', async (values, admitted, refused) => {
    const { engine } = withWhitelist(values);
    for (const clientIp of admitted) expect(await outcome(engine, { clientIp }, RIGHT)).toBe('in');
    for (const clientIp of refused) expect(await outcome(engine, { clientIp }, RIGHT)).toBe('LOGIN_IP_REFUSED');
  });

  it('LGN-8 a change of the list takes effect at the next attempt', async () => {
    let ipWhitelistValues = '192.0.2.7';
    const policy = () => ({ ...LOGIN_POLICY_DEFAULTS, ipWhitelistEnabled: true, ipWhitelistValues });
    const { engine } = createTestEngine({ policy });
    expect(await outcome(engine, {}, RIGHT)).toBe('in');
    ipWhitelistValues = '192.0.2.8';
    expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_IP_REFUSED');
  });
});

describe('the check of its parameter', () => {
  const { check } = loginPolicyParameters.ipWhitelistValues;

  it('LGN-8 takes single addresses and CIDR ranges, v4 and v6', () => {
    for (const value of ['', '192.0.2.7', '10.0.0.0/8', '2001:db8::/32', '::1, 127.0.0.1', '::ffff:10.0.0.0/104']) {
      expect(check(value)).toBeNull();
    }
  });

  it.each([
    ...['localhost', '1.2.3', '1.2.3.4.5', '256.1.1.1', '010.0.0.1', '0x7f.0.0.1', '2130706433', '1.2.3.4/33', '*'],
    ...['1.2.3.4/', '1.2.3.4/08', '1.2.3.4/-1', '1.2.3.4/ 8', '1.2.3.4/8/8', '1.2.3.4/255.0.0.0', '1.2.3.4-1.2.3.9'],
    ...[
      '::1/129',
      'fe80::1%eth0',
      '::ffff:1.2.3.4/95',
      '[::1]',
      '1.2.3.4:80',
      '2001:db8:::1',
      '10.0.0.*',
      'true',
      '/8',
    ],
    ...['1.2.3.4,', ',', '1.2.3.4,,5.6.7.8', '1.2.3.4 5.6.7.8', '1.2.3.4;5.6.7.8', '１.2.3.4', '1.2.3.4\0', ' , '],
  ])('LGN-8 refuses %o with a sentence that has the index of the entry, and not its text', (value) => {
    expect(check(value)).toMatch(/entry \d+ (is|has) /);
    expect(check(`192.0.2.1, ${value}`)).toMatch(/entry [2-9] (is|has) /);
    expect(ipWhitelistFault('sesame')).not.toContain('sesame');
  });

  it('LGN-8 names every bad entry at once, and refuses a list that is too long unread', () => {
    expect(check('1.2.3, 192.0.2.1, 10.0.0.0/99')).toMatch(/entry 1 is .*; entry 3 has /);
    expect(check('1,'.repeat(1_000_000))).toMatch(/longer than 8192 characters/);
  });
});

describe('excludesCaller', () => {
  it('LGN-8 tells whether a change would exclude the address that makes it', () => {
    const values = (ipWhitelistEnabled: boolean, ipWhitelistValues: string) => ({
      ipWhitelistEnabled,
      ipWhitelistValues,
    });
    expect(excludesCaller(values(false, ''), '192.0.2.7')).toBe(false);
    expect(excludesCaller(values(true, ''), '192.0.2.7')).toBe(true);
    expect(excludesCaller(values(true, '192.0.2.0/24'), '192.0.2.7')).toBe(false);
    expect(excludesCaller(values(true, '192.0.2.0/24'), '::ffff:192.0.2.7')).toBe(false);
    expect(excludesCaller(values(true, '192.0.2.0/24'), '2001:db8::1')).toBe(true);
    expect(excludesCaller(values(true, '0.0.0.0/0, ::/0'), 'nonsense')).toBe(true);
  });
});
