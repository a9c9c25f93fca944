package sallyport.envelope;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * One answer.
 *
 * @param contentType empty if there is none
 * @param protection whether it is certain that the service wrote it
 */
public record ApiResponse(int status, String contentType, byte[] body, Protection protection) {
  /** What is known of the origin of an answer. */
  public enum Protection {
    /** It came in an envelope: the service wrote it, to this request. */
    SEALED,
    /** The request was sealed and the answer is not: a refusal, a download, or a forgery. */
    MISSING,
    /** Neither was sealed: an exempt route, or a service whose encryption is off. */
    NONE
  }

  public boolean isSealed() {
    return protection == Protection.SEALED;
  }

  public String text() {
    return new String(body, StandardCharsets.UTF_8);
  }

  /**
   * The JSON value of the body: a Map, List, String, Double, Boolean, or null. A success that should be sealed and is
   * not has none, whatever its content type says: a forger chooses that, too.
   */
  public Object json() {
    if (protection == Protection.MISSING && status / 100 == 2) {
      throw new IllegalStateException("an answer that is not sealed is no data");
    }
    return Json.read(body);
  }

  static boolean isJson(String contentType) {
    String type = contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    return type.equals("application/json") || type.endsWith("+json");
  }
}
