// Derives SM4's S-box (GB/T 32907-2016, 6.2) as look-ups in tables of 16 bytes, which a vector permute makes without an
// access to memory by a secret address. The S-box is x -> M · (M · x + c)^-1 + c in GF(2^8) modulo x^8 + x^7 + x^6 +
// x^5 + x^4 + x^2 + 1 (Liu et al., "Analysis of the SMS4 block cipher", 2007). The inverse is taken in GF((2^4)^2),
// where an element is two nibbles and an inverse of a nibble is one look-up (Hamburg, "Accelerating AES with vector
// permute instructions", 2009). Every table below is searched or computed here, and the whole is compared with the
// standard's table before it is written.

/** GB/T 32907-2016, 6.2: the S-box, row by row of the standard's table. */
const S_BOX = Buffer.from(
  [
    'd690e9fecce13db716b614c228fb2c05',
    '2b679a762abe04c3aa44132649860699',
    '9c4250f491ef987a33540b43edcfac62',
    'e4b31ca9c908e89580df94fa758f3fa6',
    '4707a7fcf37317ba83593c19e6854fa8',
    '686b81b27164da8bf8eb0f4b70569d35',
    '1e240e5e6358d1a225227c3b01217887',
    'd40046579fd327524c3602e7a0c4c89e',
    'eabf8ad240c738b5a3f7f2cef96115a1',
    'e0ae5da49b341a55ad933230f58cb1e3',
    '1df6e22e8266ca60c02923ab0d534e6f',
    'd5db3745defd8e2f03ff6a726d6c5b51',
    '8d1baf92bbddbc7f11d95c411f105ad8',
    '0ac13188a5cd7bbd2d74d012b8e5b4b0',
    '8969974a0c96777e65b9f109c56ec684',
    '18f07dec3adc4d2079ee5f3ed7cb3948',
  ].join(''),
  'hex',
);

const range = (length) => Array.from({ length }, (_, i) => i);

/** Product in GF(2^8) modulo the S-box's polynomial. */
function multiply(a, b) {
  let product = 0;
  for (; b > 0; b >>= 1) {
    if (b & 1) product ^= a;
    a <<= 1;
    if (a & 0x100) a ^= 0x1f5;
  }
  return product;
}
const power = (a, exponent) => range(exponent).reduce((product) => multiply(product, a), 1);
const INVERSE = range(256).map((a) => power(a, 254));

const parity = (x) => x.toString(2).replaceAll('0', '').length & 1;

/** Multiplication by the circulant matrix of a row, in one of the two directions. */
function circulant(row, direction) {
  const rows = range(8).map((i) => {
    const turn = (i * direction + 8) % 8;
    return ((row << turn) | (row >> (8 - turn))) & 0xff;
  });
  return range(256).map((x) => rows.reduce((y, bits, i) => y | (parity(bits & x) << (7 - i)), 0));
}

/** The matrix M and the constant c of the S-box. */
function findAffineForm() {
  for (const direction of [1, -1]) {
    for (const row of range(256)) {
      const m = circulant(row, direction);
      for (const c of range(256)) {
        if (range(256).every((x) => (m[INVERSE[m[x] ^ c]] ^ c) === S_BOX[x])) return { m, c };
      }
    }
  }
  throw new Error('SM4 S-box: no affine form found');
}

/** A look-up by an index from 16 up yields 0. 0x80 represents the inverse of 0. */
const NOTHING = 0x80;
const lookUp = (table, index) => (index < 16 ? table[index] : 0);

function deriveSm4Tables() {
  const { m, c } = findAffineForm();

  // GF(2^4) within GF(2^8): the roots of x^16 = x, written in powers of a root of x^4 + x + 1.
  const subfield = range(256).filter((x) => power(x, 16) === x);
  const root = subfield.find((x) => x > 1 && power(x, 4) === (x ^ 1));
  const embed = range(16).map((nibble) =>
    range(4).reduce((sum, k) => ((nibble >> k) & 1 ? sum ^ power(root, k) : sum), 0),
  );
  const nibbleOf = (element) => embed.indexOf(element);
  const multiplyNibbles = (a, b) => nibbleOf(multiply(embed[a], embed[b]));
  const inverseNibble = range(16).map((a) => (a === 0 ? 0 : range(16).find((b) => multiplyNibbles(a, b) === 1)));

  // GF(2^8) over it: an element is i · zeta + j · zeta^16, where zeta has trace 1.
  const zeta = range(256).find((x) => (x ^ power(x, 16)) === 1);
  const conjugate = power(zeta, 16);
  const coordinates = new Map();
  for (const i of range(16)) {
    for (const j of range(16)) coordinates.set(multiply(embed[i], zeta) ^ multiply(embed[j], conjugate), { i, j });
  }
  const normInverse = inverseNibble[nibbleOf(multiply(zeta, conjugate))];

  // Input: the nibbles i and k = i + j of M · x + c, by a look-up for each half of x.
  const enter = (x) => {
    const { i, j } = coordinates.get(m[x] ^ c);
    return (i << 4) | (i ^ j);
  };
  const enterLow = range(16).map(enter);
  const enterHigh = range(16).map((high) => enter(high << 4) ^ enter(0));

  const inverse = [NOTHING, ...inverseNibble.slice(1)];
  const scaledInverse = [
    NOTHING,
    ...range(16)
      .slice(1)
      .map((k) => multiplyNibbles(normInverse, inverseNibble[k])),
  ];

  /** The steps of the kernel (sm4.ts) up to the last two look-ups. */
  const toReciprocals = (entered) => {
    const k = entered & 15;
    const i = entered >> 4;
    const j = i ^ k;
    const scaled = lookUp(scaledInverse, k);
    return {
      io: lookUp(inverse, lookUp(inverse, i) ^ scaled) ^ j,
      jo: lookUp(inverse, lookUp(inverse, j) ^ scaled) ^ i,
    };
  };

  // The output is linear in the inverses of io and jo: its two tables are read off where one of them is 0.
  const left = new Map();
  for (const x of range(256)) {
    const { io, jo } = toReciprocals(enter(x));
    left.set(`${inverseNibble[io] ?? 0},${inverseNibble[jo] ?? 0}`, S_BOX[x] ^ c);
  }
  const leaveFirst = [
    0,
    ...range(16)
      .slice(1)
      .map((v) => left.get(`${inverseNibble[v]},0`)),
  ];
  const leaveSecond = [
    0,
    ...range(16)
      .slice(1)
      .map((v) => left.get(`0,${inverseNibble[v]}`)),
  ];

  for (const x of range(256)) {
    const { io, jo } = toReciprocals(enterLow[x & 15] ^ enterHigh[x >> 4]);
    const y = lookUp(leaveFirst, io) ^ lookUp(leaveSecond, jo) ^ c;
    if (y !== S_BOX[x]) throw new Error(`SM4 S-box: the tables give ${y} for ${x}`);
  }
  return { enterLow, enterHigh, inverse, scaledInverse, leaveFirst, leaveSecond, constant: c };
}

export function sm4Tables() {
  const tables = deriveSm4Tables();
  const hex = (byte) => `0x${byte.toString(16).padStart(2, '0')}`;
  const table = (comment, name, bytes) => [
    `/** ${comment} */`,
    `export const ${name}: usize = memory.data<u8>(`,
    '  [',
    `    ${bytes.slice(0, 8).map(hex).join(', ')},`,
    `    ${bytes.slice(8).map(hex).join(', ')},`,
    '  ],',
    '  16,',
    ');',
    '',
  ];
  // L (6.2.2) of a word of four equal bytes c: the three rotations by 2, 10 and 18 are equal, the other two terms
  // cancel.
  const { constant } = tables;
  const afterL = ((constant << 2) | (constant >> 6)) & 0xff;
  return [
    '// Generated by kernel/generate (sm4-tables.mjs), which says what the tables are and proves them. Do not edit.',
    '',
    ...table('The nibbles of M · x + c, for the low half of x.', 'ENTER_LOW', tables.enterLow),
    ...table('The same for the high half.', 'ENTER_HIGH', tables.enterHigh),
    ...table('Inverses in GF(2^4).', 'INVERSE', tables.inverse),
    ...table('Inverses in GF(2^4), divided by the norm of zeta.', 'SCALED_INVERSE', tables.scaledInverse),
    ...table('The way back to S(x) + c, from the first reciprocal.', 'LEAVE_FIRST', tables.leaveFirst),
    ...table('The same from the second.', 'LEAVE_SECOND', tables.leaveSecond),
    '/** The constant c in each byte of a word: what the two tables leave out of S. */',
    `export const S_BOX_CONSTANT: u32 = 0x${hex(constant).slice(2).repeat(4)};`,
    '',
    '/** L of such a word. */',
    `export const S_BOX_CONSTANT_AFTER_L: u32 = 0x${hex(afterL).slice(2).repeat(4)};`,
    '',
  ].join('\n');
}
