package sallyport.envelope;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.bouncycastle.crypto.InvalidCipherTextException;
import org.bouncycastle.crypto.digests.SM3Digest;
import org.bouncycastle.crypto.macs.HMac;
import org.bouncycastle.crypto.params.KeyParameter;
import org.bouncycastle.util.encoders.Hex;

/** What each file of vectors asks for. */
final class VectorChecks {
  private VectorChecks() {}

  /** What does not hold, or null. */
  static String faultOf(String file, Map<String, Object> common, Map<String, Object> vector) {
    try {
      switch (file) {
        case "sm3.json" -> expect("digest", text(vector, "digest"), Hex.toHexString(sm3(hex(vector, "message"))));
        case "sm4-gcm.json" -> checkGcm(vector);
        case "sm2.json" -> checkSm2(vector);
        case "hkdf.json" -> checkHkdf(vector);
        case "base64url.json" -> checkBase64Url(vector);
        case "target.json" -> checkTarget(vector);
        case "authorization.json" -> expect("field", vector.get("field"), Suite.digestToken(text(vector, "value")));
        case "idempotency-key.json" ->
            expect("field", vector.get("field"), Service.idempotencyField(text(vector, "value")));
        case "bootstraps.json" -> expect("accepted", vector.get("accepted"), isBootstrap(text(vector, "body")));
        case "requests.json" -> checkRequest(common, vector);
        case "refusals.json" -> checkRefusal(common, vector);
        case "plaintext-requests.json" -> checkPlaintext(common, vector);
        case "responses.json" -> checkResponse(vector);
        default -> throw new IllegalStateException("no check for " + file);
      }
      return null;
    } catch (Mismatch mismatch) {
      return mismatch.getMessage();
    }
  }

  private static final class Mismatch extends Exception {
    private static final long serialVersionUID = 1L;

    Mismatch(String message) {
      super(message);
    }
  }

  private static void expect(String what, Object expected, Object actual) throws Mismatch {
    if (!Objects.equals(expected, actual)) {
      throw new Mismatch(what + " is " + actual + " and should be " + expected);
    }
  }

  private static void checkGcm(Map<String, Object> vector) throws Mismatch {
    byte[] key = hex(vector, "key");
    byte[] iv = hex(vector, "iv");
    byte[] aad = hex(vector, "aad");
    String plaintext = text(vector, "plaintext");
    String opened;
    try {
      opened = Hex.toHexString(Suite.open(key, iv, aad, hex(vector, "ct")));
    } catch (InvalidCipherTextException error) {
      opened = null;
    }
    expect("plaintext", plaintext, opened);
    if (plaintext != null) {
      expect("ct", text(vector, "ct"), Hex.toHexString(Suite.seal(key, iv, aad, Hex.decode(plaintext))));
    }
  }

  private static void checkSm2(Map<String, Object> vector) throws Mismatch {
    BigInteger d = new BigInteger(text(vector, "privateKey"), 16);
    String publicKey = Hex.toHexString(Suite.CURVE.getG().multiply(d).getEncoded(false));
    expect("publicKey", text(vector, "publicKey"), publicKey);
    byte[] baseKey = Service.unwrap(text(vector, "privateKey"), hex(vector, "ek"));
    expect("baseKey", text(vector, "baseKey"), baseKey == null ? null : Hex.toHexString(baseKey));
    if (text(vector, "ephemeral") != null) {
      byte[] ek = Suite.wrap(Suite.readPublicKey(publicKey), baseKey, new Given(hex(vector, "ephemeral")));
      expect("ek", text(vector, "ek"), Hex.toHexString(ek));
    }
  }

  private static void checkHkdf(Map<String, Object> vector) throws Mismatch {
    byte[] baseKey = hex(vector, "baseKey");
    HMac hmac = new HMac(new SM3Digest());
    hmac.init(new KeyParameter(hex(vector, "nonce")));
    hmac.update(baseKey, 0, baseKey.length);
    byte[] prk = new byte[hmac.getMacSize()];
    hmac.doFinal(prk, 0);
    expect("prk", text(vector, "prk"), Hex.toHexString(prk));
    Suite.Keys keys = Suite.deriveKeys(baseKey, hex(vector, "nonce"), text(vector, "kid"));
    expect("requestKey", text(vector, "requestKey"), Hex.toHexString(keys.request()));
    expect("responseKey", text(vector, "responseKey"), Hex.toHexString(keys.response()));
  }

  private static void checkBase64Url(Map<String, Object> vector) throws Mismatch {
    String decoded;
    try {
      decoded = Hex.toHexString(Base64Url.decode(text(vector, "text")));
    } catch (IllegalArgumentException error) {
      decoded = null;
    }
    expect("bytes", text(vector, "bytes"), decoded);
  }

  private static void checkTarget(Map<String, Object> vector) throws Mismatch {
    String[] parts = Service.splitTarget(text(vector, "target"));
    expect("path", vector.get("path"), parts == null ? null : parts[0]);
    expect("query", vector.get("query"), parts == null ? null : parts[1]);
  }

  private static boolean isBootstrap(String body) {
    try {
      Bootstrap.read(body.getBytes(UTF_8));
      return true;
    } catch (EnvelopeException error) {
      return false;
    }
  }

  private static void checkRequest(Map<String, Object> common, Map<String, Object> vector) throws Mismatch {
    sealRequest(common, vector);
    Service.Opened opened;
    try {
      opened = new Service(settings(common, vector)).receive(wire(vector));
    } catch (Service.RefusedException refused) {
      throw new Mismatch("the service refuses it in step " + refused.step + ": " + refused.code);
    }
    expect("kid", text(vector, "kid"), opened.kid());
    expect("nonce", Base64Url.encode(hex(vector, "nonce")), opened.nonce());
    expect("ts", number(vector, "ts"), opened.ts());
    expect("aad", text(vector, "aad"), Json.decodeUtf8(opened.authenticated()));
    expect("plaintext", text(vector, "plaintext"), Hex.toHexString(opened.plaintext()));
    expect("responseKey", text(vector, "responseKey"), Hex.toHexString(opened.responseKey()));
    expect("recordMillis", number(vector, "recordMillis"), opened.recordMillis());
    expect("query and body", Map.of("query", text(vector, "query"), "body", text(vector, "body")),
        Service.split(text(vector, "carrier"), opened.plaintext()));

    Map<String, Object> response = asMap(vector.get("response"));
    if (response != null) {
      int status = (int) number(response, "status");
      long ts = number(response, "ts");
      byte[] aad = Suite.authenticateResponse(opened.kid(), ts, opened.nonce(), wire(vector).method(),
          text(vector, "path"), status);
      expect("aad of the response", text(response, "aad"), Json.decodeUtf8(aad));
      String body = Service.seal(opened.responseKey(), text(response, "iv"), aad, ts, opened.nonce(),
          text(response, "plaintext"));
      expect("body of the response", text(response, "body"), body);
    }
  }

  /** Seals the request as the client does, with the random values of the vector. */
  private static void sealRequest(Map<String, Object> common, Map<String, Object> vector) throws Mismatch {
    String kid = text(vector, "kid");
    String publicKey = null;
    for (Object key : (List<?>) common.get("keys")) {
      publicKey = asMap(key).get("kid").equals(kid) ? text(asMap(key), "publicKey") : publicKey;
    }
    if (publicKey == null) {
      throw new Mismatch("no key has this kid");
    }
    String carrierText = text(vector, "carrier");
    SealedRequest.Carrier carrier = null;
    for (SealedRequest.Carrier each : SealedRequest.Carrier.values()) {
      carrier = each.text().equals(carrierText) ? each : carrier;
    }
    if (carrier == null) {
      throw new Mismatch("no such carrier");
    }
    var content = new SealedRequest.Content(carrier, text(vector, "method"), text(vector, "path"),
        text(vector, "query"), text(vector, "body"), text(vector, "authorization"), text(vector, "idempotencyKey"));
    expect("plaintext", text(vector, "plaintext"), Hex.toHexString(content.plaintext()));
    Given random = new Given(hex(vector, "baseKey"), hex(vector, "nonce"), hex(vector, "iv"), hex(vector, "ephemeral"));
    SealedRequest sealed =
        SealedRequest.seal(kid, Suite.readPublicKey(publicKey), content, number(vector, "ts"), random);
    expect("responseKey", text(vector, "responseKey"), Hex.toHexString(sealed.answer().responseKey()));
    byte[] aad = Suite.authenticateRequest(kid, carrierText, number(vector, "ts"), sealed.answer().nonce(),
        content.method(), content.path(), content.authorization(), content.idempotencyKey());
    expect("aad", text(vector, "aad"), Json.decodeUtf8(aad));
    Suite.Keys keys = Suite.deriveKeys(hex(vector, "baseKey"), hex(vector, "nonce"), kid);
    expect("requestKey", text(vector, "requestKey"), Hex.toHexString(keys.request()));

    Service.Wire wire = wire(vector);
    expect("method", wire.method(), content.method());
    if (carrier == SealedRequest.Carrier.QUERY) {
      expect("target", wire.target(), content.path() + sealed.targetTail());
    } else {
      expect("target", wire.target(), content.path());
      expect("members", members(wire.body()), members(sealed.json()));
    }
  }

  private static Object members(String json) throws Mismatch {
    try {
      return Json.read(json);
    } catch (IllegalArgumentException error) {
      throw new Mismatch(error.getMessage());
    }
  }

  private static void checkRefusal(Map<String, Object> common, Map<String, Object> vector) throws Mismatch {
    try {
      new Service(settings(common, vector)).receive(wire(vector));
    } catch (Service.RefusedException refused) {
      expect("code", text(vector, "code"), refused.code);
      expect("status", number(vector, "status"), (long) refused.status());
      expect("step", text(vector, "step"), refused.step);
      return;
    }
    throw new Mismatch("the service serves it");
  }

  private static void checkPlaintext(Map<String, Object> common, Map<String, Object> vector) throws Mismatch {
    try {
      expect("kid", null, new Service(settings(common, vector)).receive(wire(vector)).kid());
    } catch (Service.RefusedException refused) {
      throw new Mismatch("the service refuses it: " + refused.code);
    }
  }

  private static void checkResponse(Map<String, Object> vector) throws Mismatch {
    Service.Wire answer = new Service.Wire("", "", headers(vector), "");
    AnswerOpener opener = new AnswerOpener(text(vector, "kid"), Base64Url.encode(hex(vector, "nonce")),
        text(vector, "method"), text(vector, "path"), hex(vector, "responseKey"));
    String outcome = "refused";
    String plaintext = null;
    String contentType = null;
    try {
      List<String> types = answer.values("Content-Type");
      ApiResponse shown = opener.read((int) number(vector, "status"), answer.values("Api-Encryption"),
          types.isEmpty() ? "" : types.get(0), text(vector, "body").getBytes(UTF_8), number(vector, "now"),
          number(vector, "timestampWindowSeconds") * 1000);
      outcome = shown.isSealed() ? "opened" : "in the clear";
      plaintext = shown.isSealed() ? shown.text() : null;
      contentType = shown.isSealed() ? shown.contentType() : null;
    } catch (EnvelopeException error) {
      expect("error", "RESPONSE_REFUSED", error.code());
    }
    expect("outcome", text(vector, "outcome"), outcome);
    expect("plaintext", vector.get("plaintext"), plaintext);
    expect("contentType", vector.get("contentType"), contentType);
  }

  private static Service.Settings settings(Map<String, Object> common, Map<String, Object> vector) {
    Map<String, Object> server = new HashMap<>(asMap(common.get("server")));
    server.putAll(asMap(vector.get("server")));
    Map<String, String> privateKeys = new HashMap<>();
    for (Object key : (List<?>) common.get("keys")) {
      if (((List<?>) server.get("kids")).contains(asMap(key).get("kid"))) {
        privateKeys.put(text(asMap(key), "kid"), text(asMap(key), "privateKey"));
      }
    }
    Long notBefore = server.get("notBefore") == null ? null : number(server, "notBefore");
    return new Service.Settings(text(server, "mode"), (Boolean) server.get("exempt"), number(server, "now"), notBefore,
        number(server, "timestampWindowSeconds") * 1000, number(server, "replaySeconds") * 1000,
        number(server, "maxPayloadBytes"), number(server, "maxQueryBytes"), privateKeys, pairs(server.get("recorded")),
        text(server, "unavailable"));
  }

  private static Service.Wire wire(Map<String, Object> vector) {
    Map<String, Object> request = asMap(vector.get("request"));
    return new Service.Wire(text(request, "method"), text(request, "target"), headers(request), text(request, "body"));
  }

  private static List<List<String>> headers(Map<String, Object> message) {
    return pairs(message.get("headers"));
  }

  private static List<List<String>> pairs(Object list) {
    List<List<String>> pairs = new ArrayList<>();
    for (Object pair : (List<?>) list) {
      pairs.add(((List<?>) pair).stream().map(String.class::cast).toList());
    }
    return pairs;
  }

  private static byte[] sm3(byte[] message) {
    SM3Digest sm3 = new SM3Digest();
    sm3.update(message, 0, message.length);
    byte[] digest = new byte[sm3.getDigestSize()];
    sm3.doFinal(digest, 0);
    return digest;
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> asMap(Object value) {
    return (Map<String, Object>) value;
  }

  private static String text(Map<String, Object> object, String name) {
    return (String) object.get(name);
  }

  private static long number(Map<String, Object> object, String name) {
    return ((Double) object.get(name)).longValue();
  }

  private static byte[] hex(Map<String, Object> object, String name) {
    return Hex.decode(text(object, name));
  }

  /** A generator that yields what it was given, in this order. */
  private static final class Given extends SecureRandom {
    private static final long serialVersionUID = 1L;
    private final transient List<byte[]> values;

    Given(byte[]... values) {
      this.values = new ArrayList<>(Arrays.asList(values));
    }

    @Override
    public void nextBytes(byte[] bytes) {
      byte[] value = values.remove(0);
      if (value.length != bytes.length) {
        throw new IllegalArgumentException("a random value of " + value.length + " bytes");
      }
      System.arraycopy(value, 0, bytes, 0, bytes.length);
    }
  }
}
