import { randomSm2Scalar, SM2_SCALAR_BYTES } from '../../gm/index.js';
import { BASE_KEY_BYTES } from '../../wire/index.js';
import type { EnvelopeSecrets } from './seal-request.js';

/** Bytes of a cryptographically secure generator, at once or as a promise. */
export type RandomSource = (byteLength: number) => Uint8Array | Promise<Uint8Array>;

const NONCE_END = 2 * BASE_KEY_BYTES;
const IV_END = NONCE_END + 12;

/**
 * Two ephemeral scalars. One is out of range once in 2^32 draws; both are out of range only if the generator is broken.
 */
const SECRET_BYTES = IV_END + 2 * SM2_SCALAR_BYTES;

/** The random values of one envelope, all of which come from the source. */
export async function drawSecrets(random: RandomSource): Promise<EnvelopeSecrets> {
  const bytes = new Uint8Array(await random(SECRET_BYTES));
  let next = IV_END;
  const ephemeral = randomSm2Scalar((length) => {
    next += length;
    // A list that is too short is also refused here.
    if (next > bytes.length) throw new RangeError(`random must give ${SECRET_BYTES} bytes`);
    return bytes.slice(next - length, next);
  });
  const [baseKey, nonce] = [bytes.slice(0, BASE_KEY_BYTES), bytes.slice(BASE_KEY_BYTES, NONCE_END)];
  const iv = bytes.slice(NONCE_END, IV_END);
  bytes.fill(0);
  return { baseKey, nonce, iv, ephemeral };
}
