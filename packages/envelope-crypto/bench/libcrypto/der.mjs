// GM/T 0009-2012, 7.2: SM2Cipher ::= SEQUENCE { x INTEGER, y INTEGER, c3 OCTET STRING, c2 OCTET STRING }. libcrypto
// uses this form. The envelope concatenates the same parts. Lengths here stay below 65 536 bytes.
const SEQUENCE = 0x30;
const INTEGER = 0x02;
const OCTETS = 0x04;

export function toDer(raw) {
  const parts = [
    tlv(INTEGER, unsigned(raw.subarray(1, 33))),
    tlv(INTEGER, unsigned(raw.subarray(33, 65))),
    tlv(OCTETS, raw.subarray(65, 97)),
    tlv(OCTETS, raw.subarray(97)),
  ];
  return tlv(SEQUENCE, Buffer.concat(parts));
}

export function fromDer(der) {
  const [sequence] = readAll(der);
  const [x, y, c3, c2] = readAll(sequence);
  return Buffer.concat([Buffer.of(4), padded(x), padded(y), c3, c2]);
}

function tlv(tag, content) {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

/** No leading zeros, except the one that keeps a number positive. */
function unsigned(bytes) {
  let first = 0;
  while (first < bytes.length - 1 && bytes[first] === 0) first += 1;
  const digits = bytes.subarray(first);
  return digits[0] >= 0x80 ? Buffer.concat([Buffer.of(0), digits]) : digits;
}

function padded(integer) {
  const digits = integer.length > 32 ? integer.subarray(integer.length - 32) : integer;
  return Buffer.concat([Buffer.alloc(32 - digits.length), digits]);
}

function readAll(bytes) {
  const contents = [];
  for (let at = 0; at < bytes.length; ) {
    const short = bytes[at + 1];
    const more = short < 0x80 ? 0 : short - 0x80;
    const length = more === 0 ? short : bytes.readUIntBE(at + 2, more);
    const start = at + 2 + more;
    contents.push(bytes.subarray(start, start + length));
    at = start + length;
  }
  return contents;
}
