package sallyport.envelope;

import java.util.Base64;

/** Base64url without padding. Decoding is strict: every byte string has exactly one text. */
final class Base64Url {
  private Base64Url() {}

  static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** Throws IllegalArgumentException for padding, another alphabet, white space and unused bits that are not zero. */
  static byte[] decode(String text) {
    byte[] bytes = Base64.getUrlDecoder().decode(text);
    if (!encode(bytes).equals(text)) {
      throw new IllegalArgumentException("not canonical base64url");
    }
    return bytes;
  }
}
