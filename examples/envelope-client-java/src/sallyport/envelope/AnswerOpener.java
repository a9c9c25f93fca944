package sallyport.envelope;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bouncycastle.crypto.InvalidCipherTextException;

/** Reads the answer to one sealed request. */
record AnswerOpener(String kid, String nonce, String method, String path, byte[] responseKey) {
  /**
   * @param versions the values of the header Api-Encryption
   * @param now the corrected clock of the client
   * @throws EnvelopeException RESPONSE_REFUSED if it is not the answer of the service to this request
   */
  ApiResponse read(int status, List<String> versions, String contentType, byte[] body, long now, long windowMillis)
      throws EnvelopeException {
    if (versions.isEmpty()) {
      boolean isHead = method.equals("HEAD");
      if (status / 100 == 2 && !isHead && body.length > 0 && ApiResponse.isJson(contentType)) {
        throw refused("it should be sealed");
      }
      return new ApiResponse(status, contentType, body, ApiResponse.Protection.MISSING);
    }
    if (!versions.equals(List.of(Suite.VERSION))) {
      throw refused("it has another version");
    }
    byte[] plaintext = open(status, body, now, windowMillis).plaintext();
    String restored = status >= 400 ? "application/problem+json" : "application/json";
    return new ApiResponse(status, restored, plaintext, ApiResponse.Protection.SEALED);
  }

  /**
   * The time at which the service sealed its answer, whatever the clock of the client says.
   *
   * @throws EnvelopeException RESPONSE_REFUSED if the answer is not sealed for this request
   */
  long readTime(int status, List<String> versions, byte[] body) throws EnvelopeException {
    if (!versions.equals(List.of(Suite.VERSION))) {
      throw refused("it is not sealed");
    }
    return open(status, body, 0, Long.MAX_VALUE).ts();
  }

  private record Opened(long ts, byte[] plaintext) {}

  private Opened open(int status, byte[] body, long now, long windowMillis) throws EnvelopeException {
    try {
      Map<String, Object> members = Json.readObject(body);
      if (!members.keySet().equals(Set.of("ts", "nonce", "iv", "ct"))) {
        throw refused("its members are not ts, nonce, iv and ct");
      }
      if (!nonce.equals(members.get("nonce"))) {
        throw refused("it belongs to another request");
      }
      long ts = Members.timestamp(members.get("ts"));
      if (Math.abs(now - ts) > windowMillis) {
        throw refused("its time is " + (ts - now) + " ms from that of the client");
      }
      byte[] iv = Members.bytes(members.get("iv"), Suite.IV_BYTES);
      byte[] ct = Members.ciphertext(members.get("ct"));
      byte[] authenticated = Suite.authenticateResponse(kid, ts, nonce, method, path, status);
      return new Opened(ts, Suite.open(responseKey, iv, authenticated, ct));
    } catch (IllegalArgumentException | InvalidCipherTextException error) {
      throw refused(error.getMessage());
    }
  }

  private static EnvelopeException refused(String why) {
    return new EnvelopeException("RESPONSE_REFUSED", why);
  }
}
