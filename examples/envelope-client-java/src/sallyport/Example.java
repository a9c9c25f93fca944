package sallyport;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.bouncycastle.crypto.digests.SM3Digest;
import org.bouncycastle.util.encoders.Hex;
import sallyport.envelope.ApiRequest;
import sallyport.envelope.ApiResponse;
import sallyport.envelope.ClientOptions;
import sallyport.envelope.EnvelopeClient;

/** Signs in, reads and writes: {@code ./run example URL USERNAME PASSWORD [PINNED-KEY …]}. */
public final class Example {
  private static final PrintStream OUT = new PrintStream(System.out, true, UTF_8);

  private Example() {}

  public static void main(String[] args) throws Exception {
    EnvelopeClient client = new EnvelopeClient(ClientOptions.of(args[0]).withRequiredEncryption()
        .withTrustedKeys(List.of(args).subList(3, args.length)));

    // A password travels as its SM3 hash, in the envelope like everything else.
    String signIn = """
        {"username":"%s","password":"%s","terminal":"web"}""".formatted(args[1], sm3(args[2]));
    String token = (String) data(client.send(ApiRequest.post("/admin/auth/login", signIn))).get("token");

    print("profile", client.send(ApiRequest.get("/admin/profile").bearer(token)));
    String name = "{\"displayName\":\"Zoë\"}";
    print("changed", client.send(ApiRequest.put("/admin/profile", name).bearer(token)));

    // The key makes the write take effect once, however often it is sent.
    ApiRequest payment = ApiRequest.post("/admin/payments", "{\"payee\":\"Ada\",\"amount\":\"12.50\"}").bearer(token)
        .idempotencyKey(UUID.randomUUID().toString());
    print("paid", client.send(payment));
    print("repeated", client.send(payment));
    print("payments", client.send(ApiRequest.get("/admin/payments?page=1&size=2").bearer(token)));

    print("signed out", client.send(new ApiRequest("POST", "/auth/logout", Map.of(), null).bearer(token)));
    print("refused", client.send(ApiRequest.get("/admin/profile").bearer(token)));
  }

  private static void print(String what, ApiResponse answer) {
    OUT.println(what + ": " + answer.status() + (answer.isSealed() ? ", sealed" : "") + " " + answer.text());
  }

  private static Map<?, ?> data(ApiResponse answer) {
    if (answer.status() != 200) {
      throw new IllegalStateException(answer.status() + " " + answer.text());
    }
    return (Map<?, ?>) ((Map<?, ?>) answer.json()).get("data");
  }

  private static String sm3(String text) {
    byte[] bytes = text.getBytes(UTF_8);
    SM3Digest digest = new SM3Digest();
    digest.update(bytes, 0, bytes.length);
    byte[] hash = new byte[digest.getDigestSize()];
    digest.doFinal(hash, 0);
    return Hex.toHexString(hash);
  }
}
