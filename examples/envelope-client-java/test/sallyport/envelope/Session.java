package sallyport.envelope;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

/**
 * A client for tests. The argument is a JSON object of options. Each line of input is a JSON object: a request with
 * {@code method}, {@code target}, {@code headers} and {@code body}, or {@code {"do": "accept OFF"}} or
 * {@code {"do": "new client"}}. Each gets a line of output. With {@code threads} so many send it at once: a line each.
 */
public final class Session {
  private static final Executor POOL = Executors.newCachedThreadPool();

  private Session() {}

  public static void main(String[] args) throws IOException {
    Map<String, Object> given = VectorChecks.asMap(Json.read(args[0]));
    EnvelopeClient client = clientOf(given);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    PrintStream out = new PrintStream(System.out, true, UTF_8);
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      Map<String, Object> command = VectorChecks.asMap(Json.read(line));
      if ("new client".equals(command.get("do"))) {
        client = clientOf(given);
        out.println("{}");
      } else if ("accept OFF".equals(command.get("do"))) {
        client.acceptOff();
        out.println("{}");
      } else {
        int threads = command.get("threads") instanceof Double count ? count.intValue() : 1;
        EnvelopeClient used = client;
        IntStream.range(0, threads).mapToObj(i -> CompletableFuture.supplyAsync(() -> answerTo(used, command), POOL))
            .toList().forEach(answer -> out.println(answer.join()));
      }
    }
    System.exit(0);
  }

  private static EnvelopeClient clientOf(Map<String, Object> given) {
    ClientOptions options = ClientOptions.of((String) given.get("baseUrl"));
    if (given.get("trustedKeys") instanceof List<?> keys) {
      options = options.withTrustedKeys(keys.stream().map(String.class::cast).toList());
    }
    if (given.get("exempt") instanceof List<?> routes) {
      options = options.withExempt(routes.stream().map(String.class::cast).toList());
    }
    if (Boolean.TRUE.equals(given.get("requireEncryption"))) {
      options = options.withRequiredEncryption();
    }
    if (given.get("timeoutMillis") instanceof Double millis) {
      options = options.withTimeout(Duration.ofMillis(millis.longValue()));
    }
    long offset = given.get("clockOffsetMillis") instanceof Double millis ? millis.longValue() : 0;
    return new EnvelopeClient(options, () -> System.currentTimeMillis() + offset);
  }

  private static String answerTo(EnvelopeClient client, Map<String, Object> command) {
    try {
      Map<String, String> headers = new HashMap<>();
      if (command.get("headers") instanceof Map<?, ?> listed) {
        listed.forEach((name, value) -> headers.put((String) name, (String) value));
      }
      ApiResponse answer = client.send(new ApiRequest((String) command.get("method"), (String) command.get("target"),
          headers, (String) command.get("body")));
      return "{\"status\":" + answer.status() + ",\"protection\":" + Json.quote(answer.protection().name())
          + ",\"contentType\":" + Json.quote(answer.contentType()) + ",\"text\":" + Json.quote(answer.text()) + "}";
    } catch (EnvelopeException error) {
      return "{\"error\":" + Json.quote(error.code()) + "}";
    } catch (IOException | IllegalArgumentException | InterruptedException error) {
      return "{\"error\":" + Json.quote(error.getClass().getSimpleName()) + "}";
    }
  }
}
