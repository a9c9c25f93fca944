package sallyport.envelope;

import java.util.Map;
import org.bouncycastle.crypto.params.ECPublicKeyParameters;

/** What GET /encryption/public-key says. Nothing of it is authenticated. */
record Bootstrap(String mode, String keyId, String publicKeyHex, ECPublicKeyParameters publicKey, long windowMillis,
    long maxPayloadBytes, long maxQueryBytes, long serverTime) {
  private static final long MAX_WINDOW_SECONDS = 86_400;
  private static final long MAX_PAYLOAD_BYTES = 16_777_216;
  private static final long MAX_QUERY_BYTES = 4096;

  /** Throws BOOTSTRAP_FAILED for an answer that this client can't use. */
  static Bootstrap read(byte[] body) throws EnvelopeException {
    try {
      return read((Map<?, ?>) Json.readObject(body).get("data"));
    } catch (IllegalArgumentException | ClassCastException | NullPointerException error) {
      throw new EnvelopeException("BOOTSTRAP_FAILED", "the service does not say how to encrypt");
    }
  }

  private static Bootstrap read(Map<?, ?> data) {
    String mode = (String) data.get("mode");
    long serverTime = Members.timestamp(data.get("serverTime"));
    if (mode.equals("OFF")) {
      return new Bootstrap(mode, null, null, null, 0, 0, 0, serverTime);
    }
    String keyId = (String) data.get("keyId");
    String hex = (String) data.get("publicKey");
    if (!mode.matches("OPTIONAL|REQUIRED") || !Suite.NAME.equals(data.get("suite"))
        || Members.timestamp(data.get("version")) != 1 || !Members.isKid(keyId)) {
      throw new IllegalArgumentException("another mode, suite or version, or no keyId");
    }
    long window = Members.count(data.get("timestampWindowSeconds"), MAX_WINDOW_SECONDS) * 1000;
    long maxPayload = Members.count(data.get("maxPayloadBytes"), MAX_PAYLOAD_BYTES);
    long maxQuery = Members.count(data.get("maxQueryBytes"), MAX_QUERY_BYTES);
    return new Bootstrap(mode, keyId, hex, Suite.readPublicKey(hex), window, maxPayload, maxQuery, serverTime);
  }

  boolean isOff() {
    return mode.equals("OFF");
  }
}
