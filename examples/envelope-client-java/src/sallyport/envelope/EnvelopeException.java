package sallyport.envelope;

import java.io.IOException;

/** The client refuses to send a request or to believe an answer. {@link #code()} says why. */
public final class EnvelopeException extends IOException {
  private static final long serialVersionUID = 1L;
  private final String code;

  public EnvelopeException(String code, String message) {
    super(code + ": " + message);
    this.code = code;
  }

  /** Such as ENCRYPTION_DOWNGRADE, SERVER_KEY_UNTRUSTED or RESPONSE_UNTRUSTED. */
  public String code() {
    return code;
  }
}
