/*
 * Loads an HTTP server on this machine: each connection sends a request, waits for the answer, and sends the next one.
 *
 *   generator <port> <connections> <amount>
 *
 * The requests come from standard input, each after its length as 4 bytes, little-endian. They are sent in order, and
 * again from the first one. Prints one line of JSON: the rate, the count of each status, and the 99th percentile of the
 * response time.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAX_CONNECTIONS = 1000, MAX_ANSWER = 1 << 17, STATUSES = 1000 };

typedef struct {
  const unsigned char *data;
  uint32_t length;
} Request;

typedef struct {
  size_t received;
  double asked_at;
  char answer[MAX_ANSWER];
} Connection;

static Request *requests;
static size_t request_count;
static size_t amount, asked, answered;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void *checked(void *memory) {
  if (memory == NULL) fail("no memory");
  return memory;
}

static double millis(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static void read_requests(void) {
  size_t length = 0, room = 1 << 20;
  unsigned char *input = checked(malloc(room));
  for (size_t got; (got = fread(input + length, 1, room - length, stdin)) > 0;) {
    length += got;
    if (length == room) input = checked(realloc(input, room *= 2));
  }
  requests = checked(malloc((length / 4 + 1) * sizeof *requests));
  for (size_t at = 0; at < length;) {
    uint32_t bytes = at + 4 > length ? UINT32_MAX
                                     : input[at] | input[at + 1] << 8 | input[at + 2] << 16 |
                                           (uint32_t)input[at + 3] << 24;
    if (bytes > length - at - 4) {
      fprintf(stderr, "a request was cut off\n");
      exit(1);
    }
    requests[request_count++] = (Request){input + at + 4, bytes};
    at += 4 + bytes;
  }
}

static int open_connection(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0) fail("connect");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

/* Sends the next request, or closes the connection where there is none. */
static void ask(struct pollfd *polled, Connection *connection) {
  if (asked == amount) {
    close(polled->fd);
    polled->fd = -1;
    return;
  }
  Request request = requests[asked++ % request_count];
  connection->received = 0;
  connection->asked_at = millis();
  for (size_t sent = 0; sent < request.length;) {
    ssize_t more = send(polled->fd, request.data + sent, request.length - sent, 0);
    if (more < 0) fail("send");
    sent += more;
  }
}

/* Reads on. The status once the answer is whole, else 0. */
static int read_answer(int fd, Connection *connection) {
  char *answer = connection->answer;
  ssize_t more = recv(fd, answer + connection->received, MAX_ANSWER - 1 - connection->received, 0);
  if (more <= 0) fail("the server closed a connection, or sent too much");
  connection->received += more;
  answer[connection->received] = 0;
  const char *end = strstr(answer, "\r\n\r\n");
  if (end == NULL) return 0;
  const char *length = strcasestr(answer, "\r\ncontent-length: ");
  if (length == NULL || length > end) {
    fprintf(stderr, "an answer without content-length\n");
    exit(1);
  }
  size_t whole = (end + 4 - answer) + strtoul(length + strlen("\r\ncontent-length: "), NULL, 10);
  return connection->received < whole ? 0 : atoi(answer + strlen("HTTP/1.1 "));
}

static int by_size(const void *one, const void *other) {
  double difference = *(const double *)one - *(const double *)other;
  return difference < 0 ? -1 : difference > 0;
}

int main(int count, char **words) {
  int port = count > 1 ? atoi(words[1]) : 0, connections = count > 2 ? atoi(words[2]) : 0;
  amount = count > 3 ? strtoul(words[3], NULL, 10) : 0;
  signal(SIGPIPE, SIG_IGN);
  read_requests();
  if (connections < 1 || connections > MAX_CONNECTIONS || amount == 0 || request_count == 0) {
    fprintf(stderr, "generator <port> <connections> <amount>, and requests on standard input\n");
    return 1;
  }
  static struct pollfd polled[MAX_CONNECTIONS];
  static size_t statuses[STATUSES];
  Connection *all = checked(calloc(connections, sizeof *all));
  double *times = checked(malloc(amount * sizeof *times));
  for (int i = 0; i < connections; i++) polled[i] = (struct pollfd){open_connection(port), POLLIN, 0};

  double began = millis();
  for (int i = 0; i < connections; i++) ask(&polled[i], &all[i]);
  while (answered < amount) {
    if (poll(polled, connections, -1) < 0) fail("poll");
    for (int i = 0; i < connections; i++) {
      if (polled[i].fd < 0 || polled[i].revents == 0) continue;
      int status = read_answer(polled[i].fd, &all[i]);
      if (status == 0) continue;
      statuses[status % STATUSES]++;
      times[answered++] = millis() - all[i].asked_at;
      ask(&polled[i], &all[i]);
    }
  }
  double seconds = (millis() - began) / 1e3;

  qsort(times, amount, sizeof *times, by_size);
  printf("{\"perSecond\": %f, \"p99Millis\": %f, \"statuses\": {", amount / seconds, times[(size_t)(amount * 0.99)]);
  const char *comma = "";
  for (int status = 0; status < STATUSES; status++) {
    if (statuses[status] == 0) continue;
    printf("%s\"%d\": %zu", comma, status, statuses[status]);
    comma = ", ";
  }
  printf("}}\n");
  return 0;
}
