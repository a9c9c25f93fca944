package sallyport.envelope;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.bouncycastle.crypto.InvalidCipherTextException;
import org.bouncycastle.crypto.engines.SM2Engine;
import org.bouncycastle.crypto.params.ECPrivateKeyParameters;
import org.bouncycastle.util.encoders.Hex;

/** The service's side, step by step as the page has it: for the vectors, and slow. */
final class Service {
  private static final Set<String> MEMBERS = Set.of("kid", "ts", "nonce", "ek", "iv", "ct");
  private static final int EK_BYTES = 113;

  /** What `server` of a vector says. */
  record Settings(String mode, boolean isExempt, long now, Long notBefore, long windowMillis, long replayMillis,
      long maxPayloadBytes, long maxQueryBytes, Map<String, String> privateKeys, List<List<String>> recorded,
      String unavailable) {}

  /** A request on the wire. */
  record Wire(String method, String target, List<List<String>> headers, String body) {
    List<String> values(String name) {
      return headers.stream().filter(header -> header.get(0).equalsIgnoreCase(name)).map(header -> header.get(1))
          .toList();
    }
  }

  /** A request that was opened; of one in the clear all members are null. */
  record Opened(String kid, String nonce, Long ts, byte[] authenticated, byte[] plaintext, byte[] responseKey,
      Long recordMillis) {}

  /** A request that is refused. */
  static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;
    final String step;
    final String code;

    RefusedException(String step, String code) {
      this.step = step;
      this.code = "ENVELOPE_" + code;
    }

    int status() {
      return switch (code) {
        case "ENVELOPE_TOO_LARGE" -> 413;
        case "ENVELOPE_REPLAY_STORE_UNAVAILABLE", "ENVELOPE_KEY_UNAVAILABLE" -> 503;
        default -> 400;
      };
    }
  }

  private final Settings settings;

  Service(Settings settings) {
    this.settings = settings;
  }

  Opened receive(Wire request) throws RefusedException {
    if (settings.isExempt() || settings.mode().equals("OFF")) {
      return new Opened(null, null, null, null, null, null, null);
    }
    List<String> versions = request.values("Api-Encryption");
    if (versions.isEmpty()) {
      if (settings.mode().equals("REQUIRED")) {
        throw new RefusedException("0", "REQUIRED");
      }
      if (("&" + request.target().substring(request.target().indexOf('?') + 1)).contains("&__enc=")) {
        throw new RefusedException("0", "MALFORMED");
      }
      return new Opened(null, null, null, null, null, null, null);
    }
    if (!versions.equals(List.of("v1"))) {
      throw new RefusedException("0", "VERSION_UNSUPPORTED");
    }
    return openEnvelope(request);
  }

  private Opened openEnvelope(Wire request) throws RefusedException {
    String[] target = splitTarget(request.target());
    if (target == null) {
      throw new RefusedException("1a", "MALFORMED");
    }
    String authorization = sole(request, "Authorization");
    String idempotencyKey = sole(request, "Idempotency-Key");
    String keyField = idempotencyField(idempotencyKey);
    boolean isBody = target[1] == null && !request.body().isEmpty();
    byte[] text = isBody ? bodyText(request) : queryText(request, target[1]);
    if (keyField == null) {
      throw new RefusedException("1a", "MALFORMED");
    }

    long max = isBody ? settings.maxPayloadBytes() : settings.maxQueryBytes();
    if (text.length > 4 * ((max + 16 + 2) / 3) + 1024) {
      throw new RefusedException("1b", "TOO_LARGE");
    }
    Map<String, Object> members;
    long ts;
    byte[] nonce;
    byte[] ek;
    byte[] iv;
    byte[] ct;
    try {
      members = Json.readObject(text);
      if (!members.keySet().equals(MEMBERS) || !Members.isKid(members.get("kid"))) {
        throw new IllegalArgumentException();
      }
      ts = Members.timestamp(members.get("ts"));
      nonce = Members.bytes(members.get("nonce"), Suite.NONCE_BYTES);
      ek = Members.bytes(members.get("ek"), EK_BYTES);
      iv = Members.bytes(members.get("iv"), Suite.IV_BYTES);
      ct = Members.ciphertext(members.get("ct"));
      if (ek[0] != 4) {
        throw new IllegalArgumentException();
      }
    } catch (IllegalArgumentException error) {
      throw new RefusedException("1c", "MALFORMED");
    }
    if (ct.length > max + Suite.TAG_BYTES) {
      throw new RefusedException("1d", "TOO_LARGE");
    }

    String kid = (String) members.get("kid");
    String privateKey = settings.privateKeys().get(kid);
    if (privateKey == null) {
      throw new RefusedException("2", "KEY_UNKNOWN");
    }
    boolean isForgotten = settings.notBefore() != null && ts < settings.notBefore();
    if (Math.abs(settings.now() - ts) > settings.windowMillis() || isForgotten) {
      throw new RefusedException("3", "EXPIRED_OR_REPLAYED");
    }
    if ("key provider".equals(settings.unavailable())) {
      throw new RefusedException("4", "KEY_UNAVAILABLE");
    }
    byte[] baseKey = unwrap(privateKey, ek);
    boolean isUnwrapped = baseKey != null;
    if (!isUnwrapped) {
      baseKey = new byte[Suite.BASE_KEY_BYTES];
      new SecureRandom().nextBytes(baseKey);
    }
    Suite.Keys keys = Suite.deriveKeys(baseKey, nonce, kid);
    String nonceText = (String) members.get("nonce");
    byte[] authenticated = Suite.authenticateRequest(kid, isBody ? "body" : "query", ts, nonceText, request.method(),
        target[0], authorization, idempotencyKey);
    byte[] plaintext;
    try {
      plaintext = Suite.open(keys.request(), iv, authenticated, ct);
    } catch (InvalidCipherTextException error) {
      throw new RefusedException(isUnwrapped ? "5" : "4", "REJECTED");
    }
    if ("replay store".equals(settings.unavailable())) {
      throw new RefusedException("6", "REPLAY_STORE_UNAVAILABLE");
    }
    if (settings.recorded().contains(List.of(kid, nonceText))) {
      throw new RefusedException("6", "EXPIRED_OR_REPLAYED");
    }
    long recordMillis = Math.max(settings.replayMillis(), ts + settings.windowMillis() - settings.now()) + 60_000;
    return new Opened(kid, nonceText, ts, authenticated, plaintext, keys.response(), recordMillis);
  }

  private static byte[] bodyText(Wire request) throws RefusedException {
    String type = sole(request, "Content-Type");
    boolean isJson = type != null && type.split(";", 2)[0].strip().equalsIgnoreCase("application/json");
    boolean hasNoBody = request.method().equals("GET") || request.method().equals("HEAD");
    if (!isJson || hasNoBody || !request.values("Content-Encoding").isEmpty()) {
      throw new RefusedException("1a", "MALFORMED");
    }
    return request.body().getBytes(UTF_8);
  }

  private static byte[] queryText(Wire request, String query) throws RefusedException {
    try {
      if (query == null || !query.startsWith("__enc=") || !request.body().isEmpty()) {
        throw new IllegalArgumentException();
      }
      return Base64Url.decode(query.substring("__enc=".length()));
    } catch (IllegalArgumentException error) {
      throw new RefusedException("1a", "MALFORMED");
    }
  }

  private static String sole(Wire request, String name) throws RefusedException {
    List<String> values = request.values(name);
    if (values.size() > 1) {
      throw new RefusedException("1a", "MALFORMED");
    }
    return values.isEmpty() ? null : values.get(0);
  }

  /** Path, and query or null. Null for a target that is malformed. */
  static String[] splitTarget(String target) {
    if (!Pattern.matches("/[!\"$-~]*", target)) {
      return null;
    }
    String[] parts = target.split("[?]", 2);
    return new String[] {parts[0], parts.length == 2 ? parts[1] : null};
  }

  /** The field of the authenticated data. Null for a value that is malformed. */
  static String idempotencyField(String value) {
    if (value == null) {
      return "-";
    }
    return value.matches("[!-~]{1,255}") && !value.equals("-") ? value : null;
  }

  /** The base key, or null for every cause of failure. */
  static byte[] unwrap(String privateKey, byte[] ek) {
    // BouncyCastle takes other encodings of a point, too.
    if (ek.length != EK_BYTES || ek[0] != 4) {
      return null;
    }
    SM2Engine sm2 = new SM2Engine(SM2Engine.Mode.C1C3C2);
    sm2.init(false, new ECPrivateKeyParameters(new BigInteger(privateKey, 16), Suite.CURVE));
    try {
      return sm2.processBlock(ek, 0, ek.length);
    } catch (InvalidCipherTextException | IllegalArgumentException error) {
      return null;
    }
  }

  /** Seals an answer: the text of its envelope. */
  static String seal(byte[] responseKey, String iv, byte[] authenticated, long ts, String nonce, String plaintext) {
    byte[] ivBytes = Hex.decode(iv);
    byte[] ct = Suite.seal(responseKey, ivBytes, authenticated, plaintext.getBytes(UTF_8));
    return "{\"ts\":" + ts + ",\"nonce\":\"" + nonce + "\",\"iv\":\"" + Base64Url.encode(ivBytes) + "\",\"ct\":\""
        + Base64Url.encode(ct) + "\"}";
  }

  /** Query and body of a plaintext. */
  static Map<String, String> split(String carrier, byte[] plaintext) {
    int cut = 0;
    while (carrier.equals("body") && plaintext[cut] != '\n') {
      cut++;
    }
    Map<String, String> parts = new HashMap<>();
    boolean isQuery = carrier.equals("query");
    parts.put("query", Json.decodeUtf8(isQuery ? plaintext : Arrays.copyOf(plaintext, cut)));
    parts.put("body", isQuery ? "" : Json.decodeUtf8(Arrays.copyOfRange(plaintext, cut + 1, plaintext.length)));
    return parts;
  }
}
