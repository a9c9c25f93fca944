import { describe, expect, it } from 'vitest';
import { type ClientIpOptions, ClientIpSetupError, createClientIp, trustedProxyFaults } from '../src/index.js';

const start = (trustedProxies: unknown) => () => createClientIp({ trustedProxies } as ClientIpOptions);

describe('trustedProxies', () => {
  it.each([[true], ['true'], [1], [2], ['loopback'], ['10.0.0.1'], [null], [{}], [() => true]])(
    'IP-2 refuses the start with %j in place of the list',
    (value) => {
      expect(start(value)).toThrow(/^createClientIp: trustedProxies is .*: list the addresses of your proxies/);
    },
  );

  it.each([
    [true],
    [1],
    [null],
    [''],
    ['loopback'],
    ['linklocal'],
    ['uniquelocal'],
    ['localhost'],
    ['*'],
    ['10.0.0.0/33'],
    ['10.0.0.0/-1'],
    ['10.0.0.0/08'],
    ['10.0.0.0/'],
    ['10.0.0.0/8/8'],
    ['10.0.0.0/255.0.0.0'],
    ['10.0.0/8'],
    ['010.0.0.1'],
    ['0x7f.0.0.1'],
    [' 10.0.0.1'],
    ['10.0.0.1:80'],
    ['[::1]'],
    ['2001:db8::/129'],
    ['fe80::1%eth0'],
    ['::ffff:10.0.0.0/24'],
  ])('IP-2 refuses the start with %j in the list', (entry) => {
    expect(start(['10.0.0.1', entry])).toThrow(/^createClientIp: trustedProxies\[1\] /);
  });

  it.each([['0.0.0.0/0'], ['::/0'], ['::ffff:0.0.0.0/96']])(
    'IP-2 refuses %s, which means the same as `true`',
    (entry) => {
      expect(start([entry])).toThrow('trusts every address');
    },
  );

  it.each([['0.0.0.0/1', '128.0.0.0/1'], ['::/1', '8000::/1'], ['10.0.0.0/7'], ['fc00::/6'], ['::ffff:10.0.0.0/103']])(
    'IP-2 refuses ranges broader than any private network: %s',
    (...entries) => {
      const faults = trustedProxyFaults(entries);
      expect(faults).toHaveLength(entries.length);
      for (const fault of faults) expect(fault).toMatch(/is broader than \/[78], and so trusts foreign hosts/);
      expect(start(entries)).toThrow('trusts foreign hosts');
    },
  );

  it('IP-2 takes the broadest private networks: 10.0.0.0/8 and fc00::/7', () => {
    const engine = createClientIp({ trustedProxies: ['10.0.0.0/8', 'fc00::/7', '::ffff:127.0.0.0/104'] });
    expect(['10.255.0.1', 'fdff::1', '127.9.9.9'].map(engine.isTrustedProxy)).toEqual([true, true, true]);
    expect(['11.0.0.1', 'fe00::1', '128.0.0.1'].map(engine.isTrustedProxy)).toEqual([false, false, false]);
  });

  it('IP-2 names every fault at once, each with its index, and repeats no value', () => {
    const faults = trustedProxyFaults(['10.0.0.1', 'loopback', '2001:db8::/129', 1]);
    expect(faults).toHaveLength(3);
    expect(faults.map((fault) => fault.slice(0, 17))).toEqual([
      'trustedProxies[1]',
      'trustedProxies[2]',
      'trustedProxies[3]',
    ]);
    expect(faults.join()).not.toContain('loopback');
    expect(start(['loopback', 'localhost'])).toThrow(/\n- trustedProxies\[0\].*\n- trustedProxies\[1\]/);
  });

  it('ADP-1 IP-2 refuses a misspelt option, and suggests the right name', () => {
    const misspelt = () => createClientIp({ trustedProxy: ['10.0.0.1'] } as ClientIpOptions);
    expect(misspelt).toThrow('createClientIp: trustedProxy is not an option; did you mean trustedProxies?');
    expect(misspelt).toThrow(expect.objectContaining({ code: 'CLIENT_IP_SETUP_INVALID' }));
    expect(misspelt).toThrow(ClientIpSetupError);
    expect(() => createClientIp(['10.0.0.1'] as ClientIpOptions)).toThrow('the options must be an object');
  });

  it('IP-2 ignores later changes of the list, which would be unchecked', () => {
    const trustedProxies = ['10.0.0.1'];
    const engine = createClientIp({ trustedProxies });
    trustedProxies.push('0.0.0.0/0');
    expect(engine.isTrustedProxy('198.51.100.7')).toBe(false);
  });

  it('IP-2 takes addresses and ranges of both families, and IPv4-mapped ones as IPv4', () => {
    const engine = createClientIp({
      trustedProxies: ['10.1.2.3', '172.16.0.0/12', '2001:db8::/32', '::ffff:10.9.0.0/112'],
    });
    expect(['10.1.2.3', '172.31.255.255', '2001:db8:ffff::1', '10.9.255.1'].map(engine.isTrustedProxy)).not.toContain(
      false,
    );
    expect(['10.1.2.4', '172.32.0.0', '2001:db9::1', '10.10.0.0'].map(engine.isTrustedProxy)).not.toContain(true);
  });
});
