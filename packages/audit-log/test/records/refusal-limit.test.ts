import { describe, expect, it } from 'vitest';
import { createRefusalLimit } from '../../src/records/index.js';

const MINUTE = 60_000;

describe('the limit of recorded refusals', () => {
  it('AU-02 AUD-1 records maxPerMinute refusals of one client, and counts the others when the minute is over', () => {
    let time = 1_000_000;
    const limit = createRefusalLimit(3, () => time);
    const admitted = Array.from({ length: 5 }, () => limit.admits('192.0.2.1'));
    expect(admitted).toEqual([true, true, true, false, false]);
    expect(limit.admits('192.0.2.2')).toBe(true);
    expect(limit.takeOmitted()).toBe(0);
    time += MINUTE;
    expect(limit.takeOmitted()).toBe(2);
    expect(limit.takeOmitted()).toBe(0);
    expect(limit.admits('192.0.2.1')).toBe(true);
  });

  it('AU-02 all addresses of an IPv6 /64 network are one client', () => {
    const limit = createRefusalLimit(3, () => 0);
    const admitted = Array.from({ length: 10 }, (_, index) => limit.admits(`2001:db8:0:7::${index.toString(16)}`));
    expect(admitted.filter(Boolean)).toHaveLength(3);
    expect(limit.admits('2001:db8:0:8::1')).toBe(true);
  });

  it('AU-02 a flood from many addresses does not fill the log', () => {
    const limit = createRefusalLimit(3, () => 0);
    let admitted = 0;
    for (let index = 0; index < 50_000; index += 1) {
      if (limit.admits(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`)) admitted += 1;
    }
    expect(admitted).toBe(300);
    expect(limit.omitted()).toBe(50_000 - 300);
  });

  it.each([
    ['::ffff:192.0.2.7', '192.0.2.7', true],
    ['2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6', true],
    ['fe80::1%eth0', 'fe80::2', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['64:ff9b::192.0.2.7', '64:ff9b::192.0.2.8', false],
    ['', '192.0.2.7', false],
  ])('AU-12 HSE-1 whether %j and %j share a limit: %j', (one, other, isShared) => {
    const limit = createRefusalLimit(1, () => 0);
    expect(limit.admits(one)).toBe(true);
    expect(limit.admits(other)).toBe(!isShared);
  });
});
