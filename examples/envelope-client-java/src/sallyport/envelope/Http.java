package sallyport.envelope;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One exchange over HTTP. Redirects are not followed. */
final class Http {
  private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
      .followRedirects(HttpClient.Redirect.NEVER).build();

  /** Waits for the whole body until the deadline, a reading of System.nanoTime(). */
  HttpResponse<byte[]> send(ApiRequest request, String url, String body, boolean isSealed, long deadline)
      throws IOException, InterruptedException {
    HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(url));
    request.headers().forEach(builder::setHeader);
    builder.method(request.method(), body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    if (body != null) {
      builder.setHeader("Content-Type", "application/json");
    }
    if (isSealed) {
      builder.setHeader("Api-Encryption", Suite.VERSION);
    }
    CompletableFuture<HttpResponse<byte[]>> answer = client.sendAsync(builder.build(), BodyHandlers.ofByteArray());
    try {
      return answer.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException error) {
      throw new HttpTimeoutException("no answer in time from " + URI.create(url).getPath());
    } catch (ExecutionException error) {
      throw new IOException(error.getCause());
    } finally {
      answer.cancel(true);
    }
  }
}
