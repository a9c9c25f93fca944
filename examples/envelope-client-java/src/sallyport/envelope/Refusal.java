package sallyport.envelope;

import java.util.Map;
import java.util.OptionalLong;

/** What a refusal in the clear says. Anybody on the connection can have written it. */
final class Refusal {
  private Refusal() {}

  /** The code, or an empty text. */
  static String codeOf(ApiResponse answer) {
    return members(answer).get("code") instanceof String code ? code : "";
  }

  static OptionalLong serverTimeOf(ApiResponse answer) {
    try {
      return OptionalLong.of(Members.timestamp(members(answer).get("serverTime")));
    } catch (IllegalArgumentException error) {
      return OptionalLong.empty();
    }
  }

  private static Map<String, Object> members(ApiResponse answer) {
    try {
      boolean isRefusal = answer.status() == 400 && !answer.isSealed() && ApiResponse.isJson(answer.contentType());
      return isRefusal ? Json.readObject(answer.body()) : Map.of();
    } catch (IllegalArgumentException error) {
      return Map.of();
    }
  }
}
