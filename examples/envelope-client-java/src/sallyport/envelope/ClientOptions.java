package sallyport.envelope;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * How a client talks to its service.
 *
 * @param baseUrl the URL of the service's {@code /}; if it has a path, a proxy removes that path
 * @param trustedKeys the public keys that the service may have, 130 hexadecimal characters each; empty: any
 * @param requireEncryption whether OFF is refused from the first request on
 * @param exempt further routes in the clear, {@code PATH} or {@code PATH METHOD}; {@code :name} is any segment
 * @param timeout of one call of send, retries included
 */
public record ClientOptions(String baseUrl, List<String> trustedKeys, boolean requireEncryption, List<String> exempt,
    Duration timeout) {
  private static final List<String> ALWAYS_EXEMPT = List.of("/actuator/health", "/encryption/public-key GET",
      "/public/storage/preview GET", "/public/storage/download GET");

  public ClientOptions {
    baseUrl = baseUrl.replaceFirst("/+$", "");
    URI url = URI.create(baseUrl);
    if (url.getHost() == null || url.getRawUserInfo() != null || url.getRawQuery() != null || url.getFragment() != null
        || !List.of("http", "https").contains(url.getScheme().toLowerCase(Locale.ROOT))) {
      throw new IllegalArgumentException("baseUrl is an http or https URL without user, query and fragment");
    }
    trustedKeys = List.copyOf(trustedKeys);
    trustedKeys.forEach(Suite::readPublicKey);
    List<String> routes = new ArrayList<>(ALWAYS_EXEMPT);
    routes.addAll(exempt);
    exempt = List.copyOf(routes);
  }

  public static ClientOptions of(String baseUrl) {
    return new ClientOptions(baseUrl, List.of(), false, List.of(), Duration.ofSeconds(30));
  }

  /** Pins the keys, and requires encryption: a pin is worth nothing where the service can be said to have none. */
  public ClientOptions withTrustedKeys(List<String> keys) {
    boolean requires = requireEncryption || !keys.isEmpty();
    return new ClientOptions(baseUrl, keys, requires, exempt, timeout);
  }

  public ClientOptions withRequiredEncryption() {
    return new ClientOptions(baseUrl, trustedKeys, true, exempt, timeout);
  }

  public ClientOptions withExempt(List<String> routes) {
    return new ClientOptions(baseUrl, trustedKeys, requireEncryption, routes, timeout);
  }

  public ClientOptions withTimeout(Duration limit) {
    return new ClientOptions(baseUrl, trustedKeys, requireEncryption, exempt, limit);
  }

  /** What two texts of one base URL have in common. */
  String service() {
    URI url = URI.create(baseUrl);
    String scheme = url.getScheme().toLowerCase(Locale.ROOT);
    int port = url.getPort() >= 0 ? url.getPort() : scheme.equals("https") ? 443 : 80;
    return scheme + "://" + url.getHost().toLowerCase(Locale.ROOT) + ":" + port + url.getRawPath();
  }

  boolean isExempt(String method, String path) {
    String[] segments = path.split("/", -1);
    return exempt.stream().map(route -> route.split(" ", 2)).anyMatch(route -> {
      String[] pattern = route[0].split("/", -1);
      return (route.length == 1 || route[1].equalsIgnoreCase(method)) && pattern.length == segments.length
          && IntStream.range(0, pattern.length).allMatch(i ->
              pattern[i].equals(segments[i]) || pattern[i].startsWith(":") && !segments[i].isEmpty());
    });
  }
}
