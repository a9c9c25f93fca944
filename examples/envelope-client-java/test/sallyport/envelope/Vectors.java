package sallyport.envelope;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Checks every vector of a folder: {@code ./run vectors [FOLDER] [--mutants]}. */
public final class Vectors {
  private static final String FOLDER = "../../packages/envelope-crypto/vectors";

  private Vectors() {}

  public static void main(String[] args) throws IOException {
    List<String> arguments = new ArrayList<>(List.of(args));
    boolean withMutants = arguments.remove("--mutants");
    Path folder = Path.of(arguments.isEmpty() ? FOLDER : arguments.get(0));
    List<Path> files;
    try (Stream<Path> listed = Files.list(folder)) {
      files = listed.filter(path -> path.toString().endsWith(".json")).sorted().toList();
    }
    int failures = 0;
    for (Path path : files) {
      Map<String, Object> file = Json.readObject(Files.readAllBytes(path));
      failures += withMutants ? runMutants(path.getFileName().toString(), file)
          : run(path.getFileName().toString(), file);
    }
    if (failures > 0 || files.isEmpty()) {
      System.out.println(files.isEmpty() ? "no vectors in " + folder : failures + " failed");
      System.exit(1);
    }
  }

  private static int run(String name, Map<String, Object> file) {
    int failures = 0;
    for (Object vector : (List<?>) file.get("vectors")) {
      String fault = VectorChecks.faultOf(name, file, VectorChecks.asMap(vector));
      if (fault != null) {
        failures++;
        System.out.println(name + ": " + VectorChecks.asMap(vector).get("name") + ": " + fault);
      }
    }
    System.out.println(name + ": " + ((List<?>) file.get("vectors")).size() + " vectors, " + failures + " failed");
    return failures;
  }

  /** Each vector with one member changed has to fail. */
  private static int runMutants(String name, Map<String, Object> file) {
    int mutants = 0;
    int survivors = 0;
    for (Object vector : (List<?>) file.get("vectors")) {
      for (Mutants.Mutant mutant : Mutants.of(name, VectorChecks.asMap(vector))) {
        mutants++;
        if (VectorChecks.faultOf(name, file, mutant.vector()) == null) {
          survivors++;
          System.out.println(name + ": " + mutant.vector().get("name") + ": nothing notices " + mutant.change());
        }
      }
    }
    System.out.println(name + ": " + mutants + " mutants, " + survivors + " survived");
    return survivors + (mutants == 0 ? 1 : 0);
  }
}
