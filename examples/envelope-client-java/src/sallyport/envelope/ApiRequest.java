package sallyport.envelope;

import java.util.Map;
import java.util.TreeMap;

/**
 * One request. It does not change: each method answers a copy.
 *
 * @param method in upper case
 * @param target path and query, percent-encoded, such as {@code /admin/users?page=2}
 * @param headers by name, in any case
 * @param body JSON text, or null
 */
public record ApiRequest(String method, String target, Map<String, String> headers, String body) {
  public ApiRequest {
    Map<String, String> copy = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    copy.putAll(headers);
    if (copy.size() != headers.size()) {
      throw new IllegalArgumentException("a header is given twice");
    }
    headers = copy;
    if (!method.matches("[A-Z]+")) {
      throw new IllegalArgumentException("the method is written in upper case");
    }
    if (!target.matches("/[!\"$-~]*")) {
      throw new IllegalArgumentException("a target begins with / and is visible ASCII without #");
    }
    if (target.split("[?]", 2)[0].matches(".*/[.][.]?(/.*)?")) {
      throw new IllegalArgumentException("a path has no dot segments: proxies and services read them differently");
    }
    String key = headers.get("Idempotency-Key");
    if (key != null && (!key.matches("[!-~]{1,255}") || key.equals("-"))) {
      throw new IllegalArgumentException("an Idempotency-Key is 1 to 255 visible ASCII characters, and not -");
    }
    if (body != null && (method.equals("GET") || method.equals("HEAD"))) {
      throw new IllegalArgumentException("GET and HEAD have no body");
    }
  }

  public static ApiRequest get(String target) {
    return new ApiRequest("GET", target, Map.of(), null);
  }

  public static ApiRequest post(String target, String json) {
    return new ApiRequest("POST", target, Map.of(), json);
  }

  public static ApiRequest put(String target, String json) {
    return new ApiRequest("PUT", target, Map.of(), json);
  }

  public ApiRequest bearer(String token) {
    return header("Authorization", "Bearer " + token);
  }

  /** A request with a key takes effect once, also if it is sent twice. */
  public ApiRequest idempotencyKey(String key) {
    return header("Idempotency-Key", key);
  }

  public ApiRequest header(String name, String value) {
    Map<String, String> more = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    more.putAll(headers);
    more.put(name, value);
    return new ApiRequest(method, target, more, body);
  }

  String path() {
    int query = target.indexOf('?');
    return query < 0 ? target : target.substring(0, query);
  }

  /** Without the question mark; empty if there is none. */
  String query() {
    int query = target.indexOf('?');
    return query < 0 ? "" : target.substring(query + 1);
  }

  boolean isHarmlessTwice() {
    return switch (method) {
      case "GET", "OPTIONS" -> true;
      default -> headers.containsKey("Idempotency-Key");
    };
  }
}
