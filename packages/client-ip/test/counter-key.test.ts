import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { counterKey } from '../src/index.js';

interface Vector {
  readonly name: string;
  readonly group: readonly string[];
  readonly rule: 'same-key' | 'same-key-recommended' | 'different-key';
}

const { vectors } = JSON.parse(readFileSync(new URL('./vectors/ip_counter_keys.json', import.meta.url), 'utf8')) as {
  vectors: Vector[];
};

describe('counterKey', () => {
  it.each(vectors)('IP-2 shared vector: $name ($rule)', ({ group, rule }) => {
    const keys = new Set(group.map(counterKey));
    expect(keys.size).toBe(rule === 'different-key' ? group.length : 1);
  });

  it('LP-08 counts every spelling of an IPv4 address under its dotted text', () => {
    for (const spelling of ['1.2.3.4', '::ffff:1.2.3.4', '::ffff:0102:0304'])
      expect(counterKey(spelling)).toBe('1.2.3.4');
  });

  it('IP-2 groups IPv6 by /64, and separates neighbouring networks', () => {
    expect(counterKey('2001:db8:1:2:dead:beef:0:1')).toBe('2001:db8:1:2::/64');
    expect(counterKey('2001:db8:1:3::1')).toBe('2001:db8:1:3::/64');
    expect(counterKey('::1')).toBe('::/64');
  });

  it('IP-2 counts an IPv4 address behind a translator as that address, though all of them are in one /64', () => {
    expect(counterKey('64:ff9b::1.2.3.4')).toBe('1.2.3.4');
    expect(counterKey('64:ff9b::5.6.7.8')).toBe('5.6.7.8');
  });

  it('IP-2 one subscriber has one key, two subscribers never share one', () => {
    const hextet = fc.nat(0xffff).map((n) => n.toString(16));
    const half = fc.tuple(hextet, hextet, hextet, hextet).map((parts) => parts.join(':'));
    const network = half.filter((text) => !/^(?:0:0:|64:ff9b:|2002:|2001:0:)/.test(text));
    fc.assert(
      fc.property(network, network, half, half, (one, other, host, otherHost) => {
        expect(counterKey(`${one}:${host}`)).toBe(counterKey(`${one}:${otherHost}`));
        expect(counterKey(`${one}:${host}`) === counterKey(`${other}:${host}`)).toBe(one === other);
      }),
    );
  });

  it.each([undefined, null, ''])('ADP-1 names client-ip for the empty address %j', (ip) => {
    expect(() => counterKey(ip as string)).toThrow(
      new TypeError('request.clientIp is empty: register client-ip before this hook'),
    );
  });

  it('IP-2 refuses what is not an address, instead of opening a counter for it', () => {
    for (const junk of ['', 'unknown', '010.0.0.1', '1.2.3.4:80']) expect(() => counterKey(junk)).toThrow(TypeError);
  });
});
