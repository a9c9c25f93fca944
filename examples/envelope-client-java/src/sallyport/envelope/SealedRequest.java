package sallyport.envelope;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.SecureRandom;
import org.bouncycastle.crypto.params.ECPublicKeyParameters;

/**
 * A request in its envelope.
 *
 * @param json the envelope
 * @param answer what opens the answer
 */
record SealedRequest(Carrier carrier, String json, AnswerOpener answer) {
  /** Where a request carries its envelope. */
  enum Carrier {
    QUERY, BODY;

    String text() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }

    /** A body, even an empty one, keeps the envelope out of the logs of URLs, and has room for a longer query. */
    static Carrier of(ApiRequest request, long maxQueryBytes) {
      return switch (request.method()) {
        case "GET", "HEAD" -> QUERY;
        case "POST", "PUT", "PATCH" -> BODY;
        default -> request.body() == null && request.query().length() <= maxQueryBytes ? QUERY : BODY;
      };
    }
  }

  /**
   * What is sealed, and what it is bound to.
   *
   * @param path as the service receives it, without query
   * @param query without the question mark; empty if there is none
   * @param body JSON text; empty if there is none
   * @param authorization the value of the header, or null
   * @param idempotencyKey the value of the header, or null
   */
  record Content(Carrier carrier, String method, String path, String query, String body, String authorization,
      String idempotencyKey) {
    byte[] plaintext() {
      return (carrier == Carrier.QUERY ? query : query + "\n" + body).getBytes(UTF_8);
    }
  }

  /** @param random yields the base key, the nonce, the IV and the number k of SM2, in this order */
  static SealedRequest seal(String kid, ECPublicKeyParameters publicKey, Content content, long ts,
      SecureRandom random) {
    byte[] baseKey = take(random, Suite.BASE_KEY_BYTES);
    byte[] nonce = take(random, Suite.NONCE_BYTES);
    byte[] iv = take(random, Suite.IV_BYTES);
    Suite.Keys keys = Suite.deriveKeys(baseKey, nonce, kid);
    String nonceText = Base64Url.encode(nonce);
    byte[] authenticated = Suite.authenticateRequest(kid, content.carrier().text(), ts, nonceText, content.method(),
        content.path(), content.authorization(), content.idempotencyKey());
    byte[] ek = Suite.wrap(publicKey, baseKey, random);
    byte[] ct = Suite.seal(keys.request(), iv, authenticated, content.plaintext());
    String json = "{\"kid\":\"" + kid + "\",\"ts\":" + ts + ",\"nonce\":\"" + nonceText + "\",\"ek\":\""
        + Base64Url.encode(ek) + "\",\"iv\":\"" + Base64Url.encode(iv) + "\",\"ct\":\"" + Base64Url.encode(ct) + "\"}";
    AnswerOpener answer = new AnswerOpener(kid, nonceText, content.method(), content.path(), keys.response());
    return new SealedRequest(content.carrier(), json, answer);
  }

  /** What stands after the path in the request target. */
  String targetTail() {
    return carrier == Carrier.QUERY ? "?__enc=" + Base64Url.encode(json.getBytes(UTF_8)) : "";
  }

  /** The body of the request, or null. */
  String body() {
    return carrier == Carrier.QUERY ? null : json;
  }

  private static byte[] take(SecureRandom random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }
}
