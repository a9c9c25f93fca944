package sallyport.envelope;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bouncycastle.asn1.gm.GMNamedCurves;
import org.bouncycastle.asn1.x9.X9ECParameters;
import org.bouncycastle.crypto.InvalidCipherTextException;
import org.bouncycastle.crypto.digests.SM3Digest;
import org.bouncycastle.crypto.engines.SM2Engine;
import org.bouncycastle.crypto.engines.SM4Engine;
import org.bouncycastle.crypto.generators.HKDFBytesGenerator;
import org.bouncycastle.crypto.modes.GCMBlockCipher;
import org.bouncycastle.crypto.params.AEADParameters;
import org.bouncycastle.crypto.params.ECDomainParameters;
import org.bouncycastle.crypto.params.ECPublicKeyParameters;
import org.bouncycastle.crypto.params.HKDFParameters;
import org.bouncycastle.crypto.params.KeyParameter;
import org.bouncycastle.crypto.params.ParametersWithRandom;
import org.bouncycastle.util.encoders.Hex;

/** The suite sm2-sm4-gcm-v1: keys, authenticated data and ciphers. It knows bytes, and nothing of HTTP. */
final class Suite {
  static final String VERSION = "v1";
  static final String NAME = "sm2-sm4-gcm-v1";
  static final int BASE_KEY_BYTES = 16;
  static final int NONCE_BYTES = 16;
  static final int IV_BYTES = 12;
  static final int TAG_BYTES = 16;
  static final ECDomainParameters CURVE = curve();

  private static final Pattern BEARER = Pattern.compile("(?i:bearer) +([A-Za-z0-9._~+/-]+=*)");
  private static final Pattern PUBLIC_KEY = Pattern.compile("04[0-9a-f]{128}");

  private Suite() {}

  /** The keys of one request and of its answer. */
  record Keys(byte[] request, byte[] response) {}

  static Keys deriveKeys(byte[] baseKey, byte[] nonce, String kid) {
    return new Keys(expand(baseKey, nonce, "request", kid), expand(baseKey, nonce, "response", kid));
  }

  private static byte[] expand(byte[] baseKey, byte[] nonce, String use, String kid) {
    HKDFBytesGenerator hkdf = new HKDFBytesGenerator(new SM3Digest());
    hkdf.init(new HKDFParameters(baseKey, nonce, (NAME + "|" + use + "|" + kid).getBytes(UTF_8)));
    byte[] key = new byte[16];
    hkdf.generateBytes(key, 0, key.length);
    return key;
  }

  /** Throws IllegalArgumentException for another form and for a point that is not on the curve. */
  static ECPublicKeyParameters readPublicKey(String hex) {
    if (!PUBLIC_KEY.matcher(hex).matches()) {
      throw new IllegalArgumentException("a public key is 130 lower-case hexadecimal characters that begin with 04");
    }
    return new ECPublicKeyParameters(CURVE.getCurve().decodePoint(Hex.decode(hex)), CURVE);
  }

  /** The SM2 ciphertext of a base key: C1, C3, C2. */
  static byte[] wrap(ECPublicKeyParameters publicKey, byte[] baseKey, SecureRandom random) {
    SM2Engine sm2 = new SM2Engine(SM2Engine.Mode.C1C3C2);
    sm2.init(true, new ParametersWithRandom(publicKey, random));
    try {
      return sm2.processBlock(baseKey, 0, baseKey.length);
    } catch (InvalidCipherTextException error) {
      throw new IllegalStateException(error);
    }
  }

  /** The ciphertext, then the tag. */
  static byte[] seal(byte[] key, byte[] iv, byte[] authenticated, byte[] plaintext) {
    try {
      return gcm(true, key, iv, authenticated, plaintext);
    } catch (InvalidCipherTextException error) {
      throw new IllegalStateException(error);
    }
  }

  /** Throws InvalidCipherTextException if the tag is not that of the key, the IV, the data and the ciphertext. */
  static byte[] open(byte[] key, byte[] iv, byte[] authenticated, byte[] ct) throws InvalidCipherTextException {
    return gcm(false, key, iv, authenticated, ct);
  }

  private static byte[] gcm(boolean seals, byte[] key, byte[] iv, byte[] authenticated, byte[] in)
      throws InvalidCipherTextException {
    GCMBlockCipher cipher = new GCMBlockCipher(new SM4Engine());
    cipher.init(seals, new AEADParameters(new KeyParameter(key), TAG_BYTES * 8, iv, authenticated));
    byte[] out = new byte[cipher.getOutputSize(in.length)];
    int length = cipher.processBytes(in, 0, in.length, out, 0);
    length += cipher.doFinal(out, length);
    return Arrays.copyOf(out, length);
  }

  static byte[] authenticateRequest(String kid, String carrier, long ts, String nonce, String method, String path,
      String authorization, String idempotencyKey) {
    return String.join("\n", VERSION, NAME, kid, carrier, Long.toString(ts), nonce, method, path,
        digestToken(authorization), idempotencyKey == null ? "-" : idempotencyKey).getBytes(UTF_8);
  }

  static byte[] authenticateResponse(String kid, long ts, String nonce, String method, String path, int status) {
    return String.join("\n", VERSION, NAME, kid, "response", Long.toString(ts), nonce, method, path,
        Integer.toString(status)).getBytes(UTF_8);
  }

  /** The authorization field: of a header value, or of null for no header. */
  static String digestToken(String authorization) {
    Matcher bearer = authorization == null ? null : BEARER.matcher(authorization);
    if (bearer == null || !bearer.matches()) {
      return "-";
    }
    byte[] token = bearer.group(1).getBytes(UTF_8);
    SM3Digest sm3 = new SM3Digest();
    sm3.update(token, 0, token.length);
    byte[] digest = new byte[sm3.getDigestSize()];
    sm3.doFinal(digest, 0);
    return Base64Url.encode(digest);
  }

  private static ECDomainParameters curve() {
    X9ECParameters curve = GMNamedCurves.getByName("sm2p256v1");
    return new ECDomainParameters(curve.getCurve(), curve.getG(), curve.getN(), curve.getH());
  }
}
