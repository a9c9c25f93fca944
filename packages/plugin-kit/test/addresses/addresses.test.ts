import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AddressRange,
  isInRanges,
  isIpAddress,
  networkKey,
  parseIp,
  parseIpWithPort,
  parseRange,
} from '../../src/addresses/index.js';

/** What is written, its canonical text, and what it is counted by. Packages read some of them differently before. */
const ADDRESSES: readonly [written: string, canonical: string, key: string, site: string][] = [
  // IPv4, and each spelling of IPv4 in IPv6 that a dual-stack socket has.
  ['1.2.3.4', '1.2.3.4', '1.2.3.4', '1.2.3.4'],
  ['127.0.0.1', '127.0.0.1', '127.0.0.1', '127.0.0.1'],
  ['::ffff:1.2.3.4', '1.2.3.4', '1.2.3.4', '1.2.3.4'],
  ['::FFFF:1.2.3.4', '1.2.3.4', '1.2.3.4', '1.2.3.4'],
  ['::ffff:102:304', '1.2.3.4', '1.2.3.4', '1.2.3.4'],
  ['::ffff:0102:0304', '1.2.3.4', '1.2.3.4', '1.2.3.4'],
  ['0:0:0:0:0:ffff:1.2.3.4', '1.2.3.4', '1.2.3.4', '1.2.3.4'],
  ['0000:0000:0000:0000:0000:FFFF:0102:0304', '1.2.3.4', '1.2.3.4', '1.2.3.4'],
  // IPv4-compatible: no translator makes it, so it is the IPv6 address that it says, and gives nobody a second key.
  ['::1.2.3.4', '::102:304', '::/64', '::/48'],
  ['::102:304', '::102:304', '::/64', '::/48'],
  ['::5.6.7.8', '::506:708', '::/64', '::/48'],
  // NAT64: all of IPv4 is in one /64, and each client has its own key, that of its IPv4 address.
  ['64:ff9b::1.2.3.4', '64:ff9b::102:304', '1.2.3.4', '1.2.3.4'],
  ['64:FF9B::102:304', '64:ff9b::102:304', '1.2.3.4', '1.2.3.4'],
  ['64:ff9b::5.6.7.8', '64:ff9b::506:708', '5.6.7.8', '5.6.7.8'],
  ['64:ff9b:0:0:0:1::', '64:ff9b::1:0:0', '64:ff9b::/64', '64:ff9b::/48'],
  // NAT64 of one network: where in the address IPv4 stands is not known, and each client has one address.
  ['64:ff9b:1::1.2.3.4', '64:ff9b:1::102:304', '64:ff9b:1::102:304', '64:ff9b:1::102:304'],
  ['64:ff9b:1:abcd::5.6.7.8', '64:ff9b:1:abcd::506:708', '64:ff9b:1:abcd::506:708', '64:ff9b:1:abcd::506:708'],
  ['64:ff9b:2::1', '64:ff9b:2::1', '64:ff9b:2::/64', '64:ff9b:2::/48'],
  // 6to4: one IPv4 address has 65 536 networks of subscriber size.
  ['2002:102:304::1', '2002:102:304::1', '1.2.3.4', '1.2.3.4'],
  ['2002:102:304:ffff::1', '2002:102:304:ffff::1', '1.2.3.4', '1.2.3.4'],
  ['2002:0102:0305::1', '2002:102:305::1', '1.2.3.5', '1.2.3.5'],
  // Teredo: all clients of one server are in one /64, and a client has an address for each of its ports.
  ['2001:0:4136:e378:8000:63bf:fefd:fcfb', '2001:0:4136:e378:8000:63bf:fefd:fcfb', '1.2.3.4', '1.2.3.4'],
  ['2001:0:4136:e378:0:1111:fefd:fcfb', '2001:0:4136:e378:0:1111:fefd:fcfb', '1.2.3.4', '1.2.3.4'],
  ['2001:0:4136:e378:8000:63bf:fefd:fcfa', '2001:0:4136:e378:8000:63bf:fefd:fcfa', '1.2.3.5', '1.2.3.5'],
  // Plain IPv6.
  ['2001:db8:1:2::1', '2001:db8:1:2::1', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:0DB8:0001:0002:DEAD:BEEF:0000:0001', '2001:db8:1:2:dead:beef:0:1', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:db8::1', '2001:db8::1', '2001:db8::/64', '2001:db8::/48'],
  ['2001:1::1', '2001:1::1', '2001:1::/64', '2001:1::/48'],
  ['::1', '::1', '::/64', '::/48'],
  ['::', '::', '::/64', '::/48'],
  ['fc00::1', 'fc00::1', 'fc00::/64', 'fc00::/48'],
  // A zone has a meaning on its own host only.
  ['fe80::1%eth0', 'fe80::1', 'fe80::/64', 'fe80::/48'],
  ['fe80::1%25eth1', 'fe80::1', 'fe80::/64', 'fe80::/48'],
];

const JUNK = [
  ...['', ' ', 'localhost', 'unknown', '1.2.3', '1.2.3.4.5', '256.1.1.1', ' 1.2.3.4', '1.2.3.4 ', '1.2.3.4\0'],
  // Parsers disagree about these: octal, hexadecimal, one number.
  ...['010.0.0.1', '1.2.3.04', '0x7f.0.0.1', '0x7f.1', '2130706433', '127.1', '１.2.3.4'],
  ...[':::', '2001:db8:::1', '1::2::3', '12345::', 'g::1', '::ffff:1.2.3.04', '::ffff:256.1.1.1', '::1.2.3', '%eth0'],
  ...['fe80::1%', '1.2.3.4%eth0', '::1/128', `fe80::1%${'e'.repeat(80)}`],
];

describe('the reader of addresses', () => {
  it.each(ADDRESSES)('HSE-1 reads %s as %s', (written, canonical) => {
    expect(parseIp(written)?.toString()).toBe(canonical);
    expect(parseIpWithPort(written)?.toString()).toBe(canonical);
    expect(parseIp(canonical)?.toString()).toBe(canonical);
    expect(isIpAddress(written)).toBe(!written.includes('%'));
  });

  it.each([...JUNK, '1.2.3.4:80', '[::1]', '[2001:db8::1]:443'])('HSE-1 refuses %j', (text) => {
    expect(parseIp(text)).toBeNull();
    expect(isIpAddress(text)).toBe(false);
  });

  it.each([
    ['1.2.3.4:80', '1.2.3.4'],
    ['[2001:DB8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[::ffff:1.2.3.4]:65535', '1.2.3.4'],
    ['[fe80::1%25eth0]:80', 'fe80::1'],
  ])('HSE-1 reads %s, as a proxy writes it, as %s', (written, canonical) => {
    expect(parseIpWithPort(written)?.toString()).toBe(canonical);
  });

  it.each([...JUNK, '[1.2.3.4]', '[1.2.3.4]:80', '1.2.3.4:', '1.2.3.4:123456', '[::1', '::1]', '[::1]:', '[::1]80'])(
    'HSE-1 refuses %j, also where a port may follow',
    (text) => {
      expect(parseIpWithPort(text)).toBeNull();
    },
  );

  it('HSE-1 takes exactly what Node.js takes', () => {
    const text = fc.oneof(fc.ipV4(), fc.ipV6(), fc.ipV4Extended(), fc.string({ maxLength: 20 }));
    fc.assert(
      fc.property(text, (given) => {
        expect(isIpAddress(given)).toBe(isIP(given) !== 0 && !given.includes('%'));
      }),
    );
  });

  it.each([undefined, null, 7, ['1.2.3.4'], {}])('HSE-1 %j is no address', (value) => {
    expect(isIpAddress(value)).toBe(false);
  });
});

describe('the key of a network', () => {
  it.each(ADDRESSES)('HSE-1 counts %s (%s) under %s, and its site under %s', (written, canonical, key, site) => {
    for (const address of [parseIp(written)!, parseIp(canonical)!]) {
      expect(networkKey(address)).toBe(key);
      expect(networkKey(address, 48)).toBe(site);
    }
  });

  it('HSE-1 one IPv4 client has one key by every translation, and two clients never share one', () => {
    const octet = fc.nat(255);
    const client = fc.tuple(octet, octet, octet, octet);
    const hex = (high: number, low: number) => ((high << 8) | low).toString(16);
    const host = fc.nat(0xffff).map((n) => n.toString(16));
    const writtenBy = ([a, b, c, d]: readonly [number, number, number, number], any: string) => [
      `${a}.${b}.${c}.${d}`,
      `::ffff:${a}.${b}.${c}.${d}`,
      `64:ff9b::${a}.${b}.${c}.${d}`,
      `2002:${hex(a, b)}:${hex(c, d)}:${any}::${any}`,
      `2001:0:${any}:${any}:${any}:${any}:${hex(255 - a, 255 - b)}:${hex(255 - c, 255 - d)}`,
    ];
    const keysOf = (texts: readonly string[]) => [...new Set(texts.map((text) => networkKey(parseIp(text)!)))];
    fc.assert(
      fc.property(client, client, host, host, (one, other, any, another) => {
        expect(keysOf([...writtenBy(one, any), ...writtenBy(one, another)])).toEqual([one.join('.')]);
        expect(keysOf([...writtenBy(one, any), ...writtenBy(other, any)])).toHaveLength(
          one.join('.') === other.join('.') ? 1 : 2,
        );
      }),
    );
  });
});

describe('ranges', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7', true],
    ['192.0.2.7', '192.0.2.8', false],
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '::ffff:10.255.0.1', true],
    ['::ffff:10.0.0.0/104', '10.255.0.1', true],
    ['::ffff:10.0.0.0/104', '11.0.0.1', false],
    ['0.0.0.0/0', '1.2.3.4', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::/0', '2001:db8::1', true],
    // A translated address is not the IPv4 address that it carries: who may come in is decided by the whole address.
    ['::/0', '1.2.3.4', false],
    ['1.2.3.4', '::1.2.3.4', false],
    ['1.2.3.4', '64:ff9b::1.2.3.4', false],
    ['1.2.3.4', '2002:102:304::1', false],
    ['::1.2.3.4', '1.2.3.4', false],
    ['64:ff9b::/96', '64:ff9b::1.2.3.4', true],
    ['2001:DB8::/32', '2001:db8:ffff::1', true],
    ['fe80::/10', 'fe80::1%eth0', true],
  ])('HSE-1 whether %s contains %s: %j', (range, address, isInside) => {
    expect(isInRanges(parseIp(address)!, [parseRange(range) as AddressRange])).toBe(isInside);
  });

  it.each([
    ['fe80::1%eth0', 'has a zone, and addresses are compared without zones'],
    ['1.2.3.4/33', 'has a prefix length outside 0 to 32'],
    ['::1/129', 'has a prefix length outside 0 to 128'],
    ['1.2.3.4/08', 'has a prefix length outside 0 to 32'],
    ['1.2.3.4/', 'has a prefix length outside 0 to 32'],
    ['::ffff:1.2.3.4/95', 'is IPv4-mapped with a prefix shorter than /96'],
    ...['', '/8', '1.2.3.4/8/8', '010.0.0.1/8', '[::1]', '1.2.3.4:80', '10.0.0.*'].map((text) => [
      text,
      'is neither an IP address nor a CIDR range',
    ]),
  ])('HSE-1 says why %j is no range', (text, fault) => {
    expect(parseRange(text!)).toBe(fault);
  });
});
