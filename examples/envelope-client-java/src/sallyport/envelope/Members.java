package sallyport.envelope;

/** Reads members of JSON objects. Each throws IllegalArgumentException for another value. */
final class Members {
  private static final double MAX_TIMESTAMP = 9007199254740991.0; // 2^53 - 1

  private Members() {}

  /** An integer from 0 to 2^53 - 1. */
  static long timestamp(Object value) {
    if (value instanceof Double number && number >= 0 && number <= MAX_TIMESTAMP && number == Math.rint(number)) {
      return number.longValue();
    }
    throw new IllegalArgumentException("not an integer from 0 to 2^53 - 1");
  }

  /** An integer from 0 to max. */
  static long count(Object value, long max) {
    long count = timestamp(value);
    if (count > max) {
      throw new IllegalArgumentException("more than " + max);
    }
    return count;
  }

  static byte[] bytes(Object value, int length) {
    if (value instanceof String text) {
      byte[] bytes = Base64Url.decode(text);
      if (bytes.length == length) {
        return bytes;
      }
    }
    throw new IllegalArgumentException("not base64url of " + length + " bytes");
  }

  /** A ciphertext with its tag. */
  static byte[] ciphertext(Object value) {
    if (value instanceof String text) {
      byte[] ct = Base64Url.decode(text);
      if (ct.length >= Suite.TAG_BYTES) {
        return ct;
      }
    }
    throw new IllegalArgumentException("ct is shorter than its tag");
  }

  static boolean isKid(Object value) {
    return value instanceof String kid && kid.matches("[A-Za-z0-9._-]{1,64}");
  }
}
