import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../scripts/test-properties.js';
import { createClientIp, UNKNOWN_PEER } from '../src/index.js';
import { client, forgery, proxy, trustedProxies } from './arbitraries.js';

const engine = createClientIp({ trustedProxies });

const peer = '10.0.0.1';
/** The client, from one entry that a trusted proxy wrote; the peer if the entry can't be read. */
const read = (entry: string) => engine.resolve(peer, { 'x-forwarded-for': entry });

describe('the peer', () => {
  it('IP-1 yields the canonical text of the peer without any header', () => {
    expect(engine.resolve('198.51.100.7', {})).toBe('198.51.100.7');
    expect(engine.resolve('2001:0DB8:0:0:0:0:0:1', {})).toBe('2001:db8::1');
  });

  it('IP-2 unmaps an IPv4-mapped peer, in dotted and in hexadecimal spelling', () => {
    expect(engine.resolve('::ffff:198.51.100.7', {})).toBe('198.51.100.7');
    expect(engine.resolve('::FFFF:c633:6407', {})).toBe('198.51.100.7');
  });

  it('IP-2 cuts the zone of a link-local peer', () => {
    expect(engine.resolve('fe80::1%eth0', {})).toBe('fe80::1');
    expect(engine.resolve('fe80::1%br-lan.100', {})).toBe('fe80::1');
  });

  it('IP-2 believes no header when the connection has no peer address', () => {
    const trustsLoopback = createClientIp({ trustedProxies: ['127.0.0.1', '::1', '0.0.0.0'] });
    const headers = { 'x-forwarded-for': '6.6.6.6', 'x-real-ip': '6.6.6.6' };
    expect(trustsLoopback.resolve(undefined, headers)).toBe(UNKNOWN_PEER);
    expect(trustsLoopback.isTrustedProxy(undefined)).toBe(false);
  });

  it('HTTP-3 tells a trusted proxy from another peer, mapped or not', () => {
    expect(engine.isTrustedProxy('10.0.0.200')).toBe(true);
    expect(engine.isTrustedProxy('::ffff:10.0.0.200')).toBe(true);
    expect(engine.isTrustedProxy('2001:db8:aaaa::7')).toBe(true);
    expect(engine.isTrustedProxy('10.0.1.0')).toBe(false);
    expect(engine.isTrustedProxy('2001:db8:aaab::7')).toBe(false);
  });
});

describe('the headers', () => {
  it('LP-06 takes the right-most address that is not a trusted proxy', () => {
    const local = createClientIp({ trustedProxies: ['127.0.0.1'] });
    expect(local.resolve('127.0.0.1', { 'x-forwarded-for': '6.6.6.6, 198.51.100.7' })).toBe('198.51.100.7');
  });

  it('IP-2 skips a chain of trusted proxies, in both families', () => {
    const chain = '6.6.6.6, 198.51.100.7, 10.0.0.9, 2001:db8:aaaa::2,::ffff:10.0.0.3';
    expect(read(chain)).toBe('198.51.100.7');
  });

  it('IP-2 joins all lines of the header in their order', () => {
    expect(engine.resolve(peer, { 'x-forwarded-for': ['6.6.6.6', '198.51.100.7', '10.0.0.9'] })).toBe('198.51.100.7');
  });

  it('IP-2 takes the left-most address when every one is a trusted proxy', () => {
    expect(read('10.0.0.7, 10.0.0.8, 10.0.0.9')).toBe('10.0.0.7');
  });

  it('IP-2 ignores both headers of a peer that is not a trusted proxy', () => {
    const headers = { 'x-forwarded-for': '6.6.6.6', 'x-real-ip': '6.6.6.6' };
    expect(engine.resolve('198.51.100.7', headers)).toBe('198.51.100.7');
    expect(createClientIp().resolve('127.0.0.1', headers)).toBe('127.0.0.1');
  });

  it('IP-2 reads X-Real-IP only without an X-Forwarded-For', () => {
    expect(engine.resolve(peer, { 'x-real-ip': ' 198.51.100.7 ' })).toBe('198.51.100.7');
    expect(engine.resolve(peer, { 'x-real-ip': '6.6.6.6', 'x-forwarded-for': '198.51.100.7' })).toBe('198.51.100.7');
    expect(engine.resolve(peer, { 'x-real-ip': '6.6.6.6', 'x-forwarded-for': '' })).toBe(peer);
    expect(engine.resolve(peer, { 'x-real-ip': '6.6.6.6, 198.51.100.7' })).toBe(peer);
    expect(engine.resolve(peer, { 'x-real-ip': ['6.6.6.6', '198.51.100.7'] })).toBe(peer);
  });

  it('IP-2 falls back to the peer at an unreadable entry, and never believes what is left of it', () => {
    for (const junk of ['', ' ', 'unknown', '_hidden', '""', '198.51.100.7 8.8.8.8', '198.51.100.7;', '[', '-']) {
      expect([junk, read(`6.6.6.6, ${junk}`)]).toEqual([junk, peer]);
      expect([junk, read(`6.6.6.6, ${junk}, 10.0.0.9`)]).toEqual([junk, peer]);
      expect([junk, read(`${junk}, 198.51.100.7, 10.0.0.9`)]).toEqual([junk, '198.51.100.7']);
    }
  });
});

describe('one entry', () => {
  it.each([
    ['198.51.100.7:5678', '198.51.100.7'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['"[2001:DB8::1]:443"', '2001:db8::1'],
    ['"198.51.100.7"', '198.51.100.7'],
    ['\t 198.51.100.7 \t', '198.51.100.7'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%25eth0]:443', 'fe80::1'],
    ['::ffff:198.51.100.7', '198.51.100.7'],
    ['[::ffff:c633:6407]:1', '198.51.100.7'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['::198.51.100.7', '::c633:6407'],
    ['64:ff9b::198.51.100.7', '64:ff9b::c633:6407'],
  ])('IP-2 reads %j as %s', (entry, address) => {
    expect(read(entry)).toBe(address);
  });

  it.each([
    ['010.0.0.1'],
    ['0x0a.0.0.1'],
    ['0xc6336407'],
    ['3325256711'],
    ['198.51.25607'],
    ['127.1'],
    ['198.51.100.256'],
    ['198.51.100.7.'],
    ['198.51.100'],
    ['198.51.100.7%eth0'],
    ['198.51.100.7:'],
    ['198.51.100.7:567890'],
    ['198.51.100.7/32'],
    ['[198.51.100.7]:80'],
    ['::ffff:0306.51.100.7'],
    ['::ffff:0xc6.51.100.7'],
    ['2001:db8::1::'],
    ['2001:db8:::1'],
    ['1:2:3:4:5:6:7:8:9'],
    ['2001:db8::g'],
    ['2001:db8::1%'],
    ['[2001:db8::1'],
    ['[2001:db8::1]443'],
    ['１９８.51.100.7'],
    ['198.51.100.7\0'],
    ['localhost'],
    [`${'0'.repeat(200)}1.2.3.4`],
  ])('IP-2 refuses %j', (entry) => {
    expect(read(entry)).toBe(peer);
  });

  it('IP-2 reads an address exactly where node:net does, zones and ports aside', () => {
    const addressLike = fc.string({
      unit: fc.constantFrom(...'0123456789abcdefAF::::....'),
      minLength: 2,
      maxLength: 24,
    });
    fc.assert(
      fc.property(fc.oneof(addressLike, fc.ipV4(), fc.ipV6(), fc.ipV4Extended()), (text) => {
        fc.pre(!/^[\d.]+:\d+$/.test(text));
        expect(read(text) !== peer || text === peer).toBe(isIP(text) !== 0);
      }),
      { numRuns: cases(5000) },
    );
  });
});

describe('under attack', () => {
  it('LP-04 no header of an untrusted peer ever changes the result', () => {
    fc.assert(
      fc.property(client, forgery, forgery, (address, forwardedFor, realIp) => {
        const headers = { 'x-forwarded-for': forwardedFor, 'x-real-ip': realIp };
        expect(engine.resolve(address, headers)).toBe(address);
      }),
    );
  });

  it('LP-06 nothing that a client prepends to the chain ever changes the result', () => {
    fc.assert(
      fc.property(
        proxy,
        fc.array(proxy, { maxLength: 4 }),
        client,
        forgery,
        fc.boolean(),
        (last, via, address, forged, ownLine) => {
          const honest = [address, ...via].join(', ');
          const header = ownLine ? [forged, honest] : `${forged}, ${honest}`;
          expect(engine.resolve(last, { 'x-forwarded-for': header, 'x-real-ip': forged })).toBe(address);
        },
      ),
    );
  });

  it('IP-2 whatever the header, the result is a canonical address: reading it again yields the same', () => {
    fc.assert(
      fc.property(proxy, forgery, (last, forged) => {
        const result = engine.resolve(last, { 'x-forwarded-for': forged });
        expect(isIP(result)).not.toBe(0);
        expect(result).toBe(engine.resolve(result, {}));
        expect(result).not.toMatch(/[A-Z%]|^::ffff:/);
      }),
    );
  });

  it('IP-2 reads at most 32 entries of a chain: beyond them the peer is the client', () => {
    const via = (count: number) => Array.from({ length: count }, () => '10.0.0.9').join(',');
    expect(read(`198.51.100.7,${via(31)}`)).toBe('198.51.100.7');
    expect(read(`198.51.100.7,${via(32)}`)).toBe(peer);
  });

  it('IP-2 spends linear work on a header of 64 kB', () => {
    // Worst cases for a splitter and for a regular expression: they must cost about what a short header costs.
    const hostile = [',', ' ', '10.0.0.9,', '[', '"', '1:', ':', '1.', '0', '%', '[::1]:', ' ,'].map((piece) =>
      piece.repeat(Math.ceil(65_536 / piece.length)),
    );
    const started = performance.now();
    for (let round = 0; round < 20; round++) for (const header of hostile) expect(read(header)).toBe(peer);
    // 240 headers; a quadratic step anywhere would take minutes.
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
