import fc from 'fast-check';

/** Two trusted proxies, as a list for the engine, with the addresses that belong to it. */
export const trustedProxies = ['10.0.0.0/24', '2001:db8:aaaa::/48'];

export const proxy = fc.oneof(
  fc.integer({ min: 0, max: 255 }).map((n) => `10.0.0.${n}`),
  fc.integer({ min: 0, max: 255 }).map((n) => `::ffff:10.0.0.${n}`),
  fc.integer({ min: 1, max: 0xffff }).map((n) => `2001:db8:aaaa::${n.toString(16)}`),
);

/** An address outside the trusted ranges, canonical. */
export const client = fc.oneof(
  fc.tuple(fc.integer({ min: 11, max: 223 }), fc.nat(255), fc.nat(255), fc.nat(255)).map((parts) => parts.join('.')),
  fc.integer({ min: 1, max: 0xffff }).map((n) => `2001:db8:bbbb::${n.toString(16)}`),
);

/** What an attacker can put into a header: anything a header line may carry, addresses and separators above all. */
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
