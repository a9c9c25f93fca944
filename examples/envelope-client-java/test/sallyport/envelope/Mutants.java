package sallyport.envelope;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Vectors with one member changed. */
final class Mutants {
  /** The verdicts. Of a vector that is refused they alone are changed: another bad input is bad, too. */
  private static final Set<String> VERDICTS =
      Set.of("plaintext", "baseKey", "bytes", "path", "field", "accepted", "outcome", "code", "status", "step");

  /** What one vector may have in another way without another result: names, bounds, and what is between the bounds. */
  private static final Set<String> FREE = Set.of("name", "server", "now", "timestampWindowSeconds");

  private Mutants() {}

  record Mutant(Map<String, Object> vector, String change) {}

  static List<Mutant> of(String file, Map<String, Object> vector) {
    boolean isGood = switch (file) {
      case "sm4-gcm.json" -> vector.get("plaintext") != null;
      case "sm2.json" -> vector.get("baseKey") != null;
      case "base64url.json" -> vector.get("bytes") != null;
      case "target.json" -> vector.get("path") != null;
      case "idempotency-key.json" -> vector.get("field") != null;
      case "authorization.json" -> !vector.get("field").equals("-");
      case "responses.json" -> vector.get("outcome").equals("opened");
      case "sm3.json", "hkdf.json", "requests.json" -> true;
      default -> false;
    };
    List<Mutant> mutants = new ArrayList<>();
    for (Map.Entry<String, Object> member : vector.entrySet()) {
      String name = member.getKey();
      boolean isInput = file.equals("responses.json") && (name.equals("status") || name.equals("path"));
      boolean isVerdict = VERDICTS.contains(name) && !isInput;
      if (FREE.contains(name) || !isGood && !isVerdict) {
        continue;
      }
      for (Map.Entry<String, Object> changed : changes(file, name, member.getValue()).entrySet()) {
        Map<String, Object> copy = new HashMap<>(vector);
        copy.put(name, changed.getValue());
        mutants.add(new Mutant(copy, changed.getKey()));
      }
    }
    if (file.equals("plaintext-requests.json")) {
      Map<String, Object> copy = new HashMap<>(vector);
      copy.put("server", Map.of("mode", "REQUIRED"));
      mutants.add(new Mutant(copy, "the mode REQUIRED"));
    }
    return mutants;
  }

  /** The values that take the place of one, by what was changed. */
  private static Map<String, Object> changes(String file, String name, Object value) {
    Map<String, Object> changes = new LinkedHashMap<>();
    if (value instanceof String text) {
      for (String changed : changedTexts(text)) {
        boolean bindsTheSame = name.equals("authorization") || name.equals("Authorization");
        if (!bindsTheSame || !Suite.digestToken(text).equals(Suite.digestToken(changed))) {
          changes.put(name + " '" + changed + "'", changed);
        }
      }
    } else if (value instanceof Double number) {
      changes.put(name + " + 1", number + 1);
    } else if (value instanceof Boolean flag) {
      changes.put(name + " negated", !flag);
    } else if (value == null && !name.equals("response")) {
      changes.put(name + " given", "Bearer 00");
    } else if (value instanceof Map<?, ?> object) {
      object.forEach((key, inner) -> changes(file, (String) key, inner).forEach((what, changed) -> {
        Map<String, Object> copy = new HashMap<>(VectorChecks.asMap(object));
        copy.put((String) key, changed);
        changes.put(name + "." + what, copy);
      }));
    } else if (value instanceof List<?> headers) {
      for (int i = 0; i < headers.size(); i++) {
        List<?> header = (List<?>) headers.get(i);
        String key = (String) header.get(0);
        boolean isRestored = file.equals("responses.json") && key.equalsIgnoreCase("Content-Type");
        boolean bindsNothing = key.equals("Authorization") && Suite.digestToken((String) header.get(1)).equals("-");
        if (isRestored || bindsNothing) {
          continue;
        }
        for (int part = 0; part < 2; part++) {
          int at = i;
          int inner = part;
          changes(file, part == 0 ? "name of " + key : key, header.get(part)).forEach((what, changed) -> {
            List<Object> copy = new ArrayList<>(headers);
            copy.set(at, inner == 0 ? List.of(changed, header.get(1)) : List.of(header.get(0), changed));
            changes.put(name + "." + what, copy);
          });
        }
      }
    }
    return changes;
  }

  /** The text with another first and with another last character, and an envelope with another value of each member. */
  private static List<String> changedTexts(String text) {
    if (text.isEmpty()) {
      return List.of("00");
    }
    List<String> changed = new ArrayList<>();
    changed.add(other(text.charAt(0)) + text.substring(1));
    changed.add(text.substring(0, text.length() - 1) + other(text.charAt(text.length() - 1)));
    int value = text.indexOf("?__enc=") + "?__enc=".length();
    if (text.startsWith("{\"kid\"") || text.startsWith("{\"ts\"")) {
      changed.addAll(changedEnvelopes(text));
    } else if (text.contains("?__enc=")) {
      String json = new String(Base64Url.decode(text.substring(value)), UTF_8);
      changedEnvelopes(json).forEach(
          each -> changed.add(text.substring(0, value) + Base64Url.encode(each.getBytes(UTF_8))));
    }
    return changed;
  }

  private static List<String> changedEnvelopes(String json) {
    List<String> changed = new ArrayList<>();
    for (Map.Entry<String, Object> member : Json.readObject(json.getBytes(UTF_8)).entrySet()) {
      if (member.getValue() instanceof String text) {
        String other = other(text.charAt(0)) + text.substring(1);
        changed.add(json.replace(Json.quote(text), Json.quote(other)));
      }
      changed.add(json.replace(Json.quote(member.getKey()), Json.quote(member.getKey() + "x")));
      changed.add(json.substring(0, json.length() - 1) + ",\"" + member.getKey() + "\":1}");
    }
    return changed;
  }

  private static char other(char c) {
    return c == '0' ? '1' : '0';
  }
}
