package sallyport.envelope;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON (RFC 8259). A number is a double, and of two members with one name the last counts. */
final class Json {
  private static final int MAX_DEPTH = 64; // more than any message here; keeps a hostile answer off the stack
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  /** Throws IllegalArgumentException for bytes that are not JSON in UTF-8, also for a byte order mark. */
  static Object read(byte[] bytes) {
    return read(decodeUtf8(bytes));
  }

  static Object read(String text) {
    Json json = new Json(text);
    Object value = json.value(0);
    json.skipSpace();
    if (json.at != text.length()) {
      throw json.wrong();
    }
    return value;
  }

  /** The object that the bytes are. Throws IllegalArgumentException for anything else. */
  @SuppressWarnings("unchecked")
  static Map<String, Object> readObject(byte[] bytes) {
    if (read(bytes) instanceof Map<?, ?> object) {
      return (Map<String, Object>) object;
    }
    throw new IllegalArgumentException("not a JSON object");
  }

  static String quote(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ') {
        quoted.append(String.format("\\u%04x", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }

  static String decodeUtf8(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT).decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException error) {
      throw new IllegalArgumentException("not UTF-8", error);
    }
  }

  private Object value(int depth) {
    skipSpace();
    if (depth > MAX_DEPTH || at == text.length()) {
      throw wrong();
    }
    return switch (text.charAt(at)) {
      case '{' -> object(depth);
      case '[' -> list(depth);
      case '"' -> string();
      case 't' -> word("true", Boolean.TRUE);
      case 'f' -> word("false", Boolean.FALSE);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private Map<String, Object> object(int depth) {
    Map<String, Object> object = new LinkedHashMap<>();
    at++;
    skipSpace();
    if (skip('}')) {
      return object;
    }
    do {
      skipSpace();
      String name = string();
      skipSpace();
      expect(':');
      object.put(name, value(depth + 1));
      skipSpace();
    } while (skip(','));
    expect('}');
    return object;
  }

  private List<Object> list(int depth) {
    List<Object> list = new ArrayList<>();
    at++;
    skipSpace();
    if (skip(']')) {
      return list;
    }
    do {
      list.add(value(depth + 1));
      skipSpace();
    } while (skip(','));
    expect(']');
    return list;
  }

  private String string() {
    StringBuilder string = new StringBuilder();
    expect('"');
    while (!skip('"')) {
      char c = next();
      if (c < ' ') {
        throw wrong();
      }
      string.append(c == '\\' ? escaped() : c);
    }
    return string.toString();
  }

  private char escaped() {
    char c = next();
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> {
        String digits = "" + next() + next() + next() + next();
        if (!digits.matches("[0-9A-Fa-f]{4}")) {
          throw wrong();
        }
        yield (char) Integer.parseInt(digits, 16);
      }
      default -> throw wrong();
    };
  }

  private Double number() {
    int start = at;
    while (at < text.length() && "+-.0123456789Ee".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    String digits = text.substring(start, at);
    if (!digits.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([Ee][+-]?[0-9]+)?")) {
      throw wrong();
    }
    return Double.valueOf(digits);
  }

  private <T> T word(String word, T value) {
    if (!text.startsWith(word, at)) {
      throw wrong();
    }
    at += word.length();
    return value;
  }

  private void skipSpace() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private boolean skip(char c) {
    boolean is = at < text.length() && text.charAt(at) == c;
    at += is ? 1 : 0;
    return is;
  }

  private void expect(char c) {
    if (!skip(c)) {
      throw wrong();
    }
  }

  private char next() {
    if (at == text.length()) {
      throw wrong();
    }
    return text.charAt(at++);
  }

  private IllegalArgumentException wrong() {
    return new IllegalArgumentException("not JSON at character " + at);
  }
}
