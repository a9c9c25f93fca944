import fc from 'fast-check';

/** Two ranges of trusted proxies. */
export const trustedProxies = ['10.0.0.0/24', '2001:db8:aaaa::/48'];

/** An address in one of them. */
export const proxy = fc.oneof(
  fc.integer({ min: 0, max: 255 }).map((n) => `10.0.0.${n}`),
  fc.integer({ min: 0, max: 255 }).map((n) => `::ffff:10.0.0.${n}`),
  fc.integer({ min: 1, max: 0xffff }).map((n) => `2001:db8:aaaa::${n.toString(16)}`),
);

/** A canonical address outside of them. */
export const client = fc.oneof(
  fc.tuple(fc.integer({ min: 11, max: 223 }), fc.nat(255), fc.nat(255), fc.nat(255)).map((parts) => parts.join('.')),
  fc.integer({ min: 1, max: 0xffff }).map((n) => `2001:db8:bbbb::${n.toString(16)}`),
);

/** What an attacker can put into a header: anything that a header line may carry, mostly addresses and separators. */
export const forgery = fc
  .array(
    fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      proxy,
      client,
      fc.constantFrom(
        ',',
        ', ',
        '"',
        '[',
        ']',
        ':',
        '%',
        '\t',
        ' ',
        ',,,',
        '"a,b',
        '\\"',
        'unknown',
        '_hidden',
        '::1',
        '127.0.0.1',
      ),
      fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)), maxLength: 20 }),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(''));
