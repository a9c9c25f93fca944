package sallyport.envelope;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** Sends requests to one service, sealed as the service asks for. Any number of threads may use it at once. */
public final class EnvelopeClient {
  private static final Duration MAX_BOOTSTRAP_TIME = Duration.ofSeconds(10);
  private static final Duration MAX_TIME_OFF = Duration.ofMinutes(1);
  private static final Duration MAX_DOUBT = Duration.ofMinutes(1);
  /** What nobody authenticated moves the clock no further ahead of that of the machine. */
  private static final long MAX_UNSEALED_AHEAD_MILLIS = Duration.ofMinutes(10).toMillis();

  /** The services to which this process has sealed a request: none of them may say OFF any more. */
  private static final Set<String> SEALED_BEFORE = ConcurrentHashMap.newKeySet();

  /** A bootstrap that was judged, and the readings of System.nanoTime() and of the machine's clock at that moment. */
  private record Known(Bootstrap bootstrap, long readAt, long machineTime) {
    boolean isOlderThan(Duration age) {
      return System.nanoTime() - readAt > age.toNanos();
    }
  }

  private final ClientOptions options;
  private final LongSupplier machineClock;
  private final Http http = new Http();
  private final SecureRandom random = new SecureRandom();
  private volatile Known known;
  private volatile long clockCorrection;

  public EnvelopeClient(ClientOptions options) {
    this(options, System::currentTimeMillis);
  }

  /** With a clock of the caller, in milliseconds since 1970. */
  public EnvelopeClient(ClientOptions options, LongSupplier machineClock) {
    this.options = options;
    this.machineClock = machineClock;
  }

  /** After a planned change of the service to OFF: the next bootstrap may say so. Never call it because of an error. */
  public void acceptOff() {
    SEALED_BEFORE.remove(options.service());
    known = null;
  }

  /**
   * Sends a request and waits for its answer. A refusal of the service is an answer, and {@code protection} says
   * whether it is authenticated.
   *
   * @throws EnvelopeException with one of the codes of the protocol. After RESPONSE_REFUSED the request may have taken
   *     effect; after the others nothing of it was sent
   */
  public ApiResponse send(ApiRequest request) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + options.timeout().toNanos();
    if (options.isExempt(request.method(), request.path())) {
      return sendInTheClear(request, deadline);
    }
    Known used = bootstrap(deadline);
    if (used.bootstrap().isOff()) {
      ApiResponse answer = sendInTheClear(request, deadline);
      if (Refusal.codeOf(answer).equals("ENVELOPE_REQUIRED")) {
        forget(used);
      }
      return answer;
    }
    ApiResponse answer = sendSealed(request, used, deadline);
    Known next = forRetry(request, used, answer, deadline);
    return next == null ? answer : sendSealed(request, next, deadline);
  }

  /** The bootstrap with which the request is sent again, in a new envelope; null where the answer is final. */
  private Known forRetry(ApiRequest request, Known used, ApiResponse answer, long deadline)
      throws IOException, InterruptedException {
    switch (Refusal.codeOf(answer)) {
      case "ENVELOPE_KEY_UNKNOWN":
        forget(used);
        Known next = bootstrap(deadline);
        boolean isOther = !next.bootstrap().isOff() && !next.bootstrap().keyId().equals(used.bootstrap().keyId());
        return isOther ? next : null;
      case "ENVELOPE_EXPIRED_OR_REPLAYED":
        var serverTime = Refusal.serverTimeOf(answer);
        if (serverTime.isEmpty() || !correctClock(serverTime.getAsLong(), MAX_UNSEALED_AHEAD_MILLIS)) {
          forget(used); // the next bootstrap has the time, or the service seals it
        }
        // The service may have served the first envelope: only what is harmless is sent again.
        return request.isHarmlessTwice() ? bootstrap(deadline) : null;
      case "ENVELOPE_REQUIRED", "ENVELOPE_REJECTED":
        forget(used);
        return null;
      default:
        return null;
    }
  }

  private ApiResponse sendSealed(ApiRequest request, Known used, long deadline)
      throws IOException, InterruptedException {
    Bootstrap bootstrap = used.bootstrap();
    var carrier = SealedRequest.Carrier.of(request, bootstrap.maxQueryBytes());
    String body = request.body() == null ? "" : request.body();
    var content = new SealedRequest.Content(carrier, request.method(), request.path(), request.query(), body,
        request.headers().get("Authorization"), request.headers().get("Idempotency-Key"));
    long max = carrier == SealedRequest.Carrier.QUERY ? bootstrap.maxQueryBytes() : bootstrap.maxPayloadBytes();
    if (content.plaintext().length > max) {
      if (used.isOlderThan(MAX_DOUBT)) {
        forget(used); // a forged limit must not stay
      }
      throw new EnvelopeException("REQUEST_TOO_LARGE", "the service opens " + max + " bytes at most");
    }
    SEALED_BEFORE.add(options.service());
    SealedRequest sealed = SealedRequest.seal(bootstrap.keyId(), bootstrap.publicKey(), content, now(), random);
    String url = options.baseUrl() + request.path() + sealed.targetTail();
    HttpResponse<byte[]> answer = http.send(request, url, sealed.body(), true, deadline);
    try {
      return sealed.answer().read(answer.statusCode(), answer.headers().allValues("Api-Encryption"),
          contentType(answer), answer.body(), now(), bootstrap.windowMillis());
    } catch (EnvelopeException error) {
      forget(used);
      throw error;
    }
  }

  private ApiResponse sendInTheClear(ApiRequest request, long deadline) throws IOException, InterruptedException {
    String url = options.baseUrl() + request.target();
    HttpResponse<byte[]> answer = http.send(request, url, request.body(), false, deadline);
    return new ApiResponse(answer.statusCode(), contentType(answer), answer.body(), ApiResponse.Protection.NONE);
  }

  /** The bootstrap in use, or a new one. It is asked for again every ten seconds, until the deadline. */
  private Known bootstrap(long deadline) throws IOException, InterruptedException {
    Known last = known;
    boolean isOff = last != null && last.bootstrap().isOff() && (last.isOlderThan(MAX_TIME_OFF) || mustBeSealed());
    if (last != null && !isOff && !isFarAheadSince(last)) {
      return last;
    }
    while (true) {
      long attemptEnds = Math.min(deadline, System.nanoTime() + MAX_BOOTSTRAP_TIME.toNanos());
      try {
        HttpResponse<byte[]> answer = http.send(ApiRequest.get("/encryption/public-key"),
            options.baseUrl() + "/encryption/public-key", null, false, attemptEnds);
        if (answer.statusCode() != 200 || !ApiResponse.isJson(contentType(answer))) {
          throw new EnvelopeException("BOOTSTRAP_FAILED", "the service answered " + answer.statusCode());
        }
        Bootstrap bootstrap = Bootstrap.read(answer.body());
        judge(bootstrap);
        if (!correctClock(bootstrap.serverTime(), MAX_UNSEALED_AHEAD_MILLIS) && !bootstrap.isOff()) {
          correctByEnvelope(bootstrap, attemptEnds);
        }
        Known renewed = new Known(bootstrap, System.nanoTime(), machineClock.getAsLong());
        known = renewed;
        return renewed;
      } catch (HttpTimeoutException error) {
        if (attemptEnds == deadline) {
          throw error;
        }
      }
    }
  }

  private void judge(Bootstrap bootstrap) throws EnvelopeException {
    if (bootstrap.isOff()) {
      if (mustBeSealed()) {
        throw new EnvelopeException("ENCRYPTION_DOWNGRADE", "the service says that its encryption is OFF");
      }
    } else if (!options.trustedKeys().isEmpty() && !options.trustedKeys().contains(bootstrap.publicKeyHex())) {
      throw new EnvelopeException("SERVER_KEY_UNTRUSTED", "the key of the service is none of those that are pinned");
    }
  }

  private boolean mustBeSealed() {
    return options.requireEncryption() || SEALED_BEFORE.contains(options.service());
  }

  private synchronized void forget(Known used) {
    if (known == used) {
      known = null;
    }
  }

  private long now() {
    return machineClock.getAsLong() + clockCorrection;
  }

  /** False, without a change, for a time that is further ahead of the machine. */
  private boolean correctClock(long serverTime, long maxAheadMillis) {
    long ahead = serverTime - machineClock.getAsLong();
    if (ahead > maxAheadMillis) {
      return false;
    }
    clockCorrection = ahead;
    return true;
  }

  /** By a time that the service seals for this very envelope, whatever its stamp. Without one, by ten minutes. */
  private void correctByEnvelope(Bootstrap bootstrap, long deadline) throws InterruptedException {
    try {
      ApiRequest request = ApiRequest.post("/encryption/time", null);
      var content = new SealedRequest.Content(SealedRequest.Carrier.BODY, request.method(), request.path(), "", "",
          null, null);
      SealedRequest sealed = SealedRequest.seal(bootstrap.keyId(), bootstrap.publicKey(), content, now(), random);
      HttpResponse<byte[]> answer = http.send(request, options.baseUrl() + request.path(), sealed.body(), true,
          deadline);
      long time = sealed.answer().readTime(answer.statusCode(), answer.headers().allValues("Api-Encryption"),
          answer.body());
      correctClock(time, Long.MAX_VALUE);
    } catch (IOException error) { // an older service, or an attacker
      clockCorrection = MAX_UNSEALED_AHEAD_MILLIS;
    }
  }

  /** Ten minutes after a sealed time the clock of the machine may have been put right. */
  private boolean isFarAheadSince(Known last) {
    return clockCorrection > MAX_UNSEALED_AHEAD_MILLIS
        && Math.abs(machineClock.getAsLong() - last.machineTime()) > MAX_UNSEALED_AHEAD_MILLIS;
  }

  private static String contentType(HttpResponse<byte[]> answer) {
    return answer.headers().firstValue("Content-Type").orElse("");
  }
}
