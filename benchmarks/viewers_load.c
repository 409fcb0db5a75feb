/* Many viewers of one stream, for benchmarks/viewers.py.
 *
 *   viewers_load sse|ws PORT PATH VIEWERS STALLED SECONDS
 *
 * Opens VIEWERS connections that read and STALLED ones that never do, says READY, waits for a line on standard input,
 * and then for SECONDS notes how old each message is: the text "t": in it is followed by CLOCK_MONOTONIC nanoseconds.
 * Prints one JSON line. One thread, epoll, no allocation while it measures.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MARK = 4, DIGITS = 24, AT_ONCE = 256, MOST_SAMPLES = 4000000 };

struct viewer {
    int fd;
    int matched;          /* characters of the mark seen so far; MARK while digits follow */
    int digits;
    int open;             /* the first bytes of the answer came */
    uint64_t value;
};

static const char mark[MARK + 1] = "\"t\":";
static float *ages_ms;
static size_t samples;
static uint64_t received;
static int measuring;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void note(uint64_t sent_ns, uint64_t at_ns)
{
    if (!measuring) return;
    received++;
    if (samples < MOST_SAMPLES) ages_ms[samples++] = (float)((double)(at_ns - sent_ns) / 1e6);
}

/* Finds the mark and its number in any split of the stream. */
static void feed(struct viewer *viewer, const char *bytes, ssize_t length, uint64_t at_ns)
{
    for (ssize_t i = 0; i < length; i++) {
        char c = bytes[i];
        if (viewer->matched == MARK) {
            if (c == ' ' && viewer->digits == 0) continue;
            if (c >= '0' && c <= '9' && viewer->digits < DIGITS) {
                viewer->value = viewer->value * 10 + (uint64_t)(c - '0');
                viewer->digits++;
                continue;
            }
            if (viewer->digits > 0) note(viewer->value, at_ns);
            viewer->matched = 0;
        }
        if (c == mark[viewer->matched]) {
            if (++viewer->matched == MARK) viewer->value = 0, viewer->digits = 0;
        } else {
            viewer->matched = c == mark[0];
        }
    }
}

static int dial(int port, int small)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0) return -1;
    int size = 4096, one = 1;
    if (small) setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd, (struct sockaddr *)&to, sizeof to) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static int ask(int fd, int ws, const char *path)
{
    char request[512];
    int length = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n", path,
                          ws ? "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                               "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                             : "Accept: text/event-stream\r\n");
    return write(fd, request, (size_t)length) == length ? 0 : -1;
}

static int by_age(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static double at_share(double share)
{
    if (samples == 0) return -1;
    size_t index = (size_t)(share * (double)samples);
    return (double)ages_ms[index < samples ? index : samples - 1];
}

/* Reads whatever is there; returns how many viewers answered for the first time, or went. */
static int poll_once(int epoll, int wait_ms, int *lost)
{
    static struct epoll_event events[AT_ONCE];
    static char buffer[65536];
    int opened = 0, found = epoll_wait(epoll, events, AT_ONCE, wait_ms);
    for (int i = 0; i < found; i++) {
        struct viewer *viewer = events[i].data.ptr;
        ssize_t length = read(viewer->fd, buffer, sizeof buffer);
        if (length > 0) {
            if (!viewer->open) viewer->open = 1, opened++;
            feed(viewer, buffer, length, now_ns());
        } else if (length == 0 || errno != EAGAIN) {
            epoll_ctl(epoll, EPOLL_CTL_DEL, viewer->fd, NULL);
            close(viewer->fd);
            (*lost)++;
        }
    }
    return opened;
}

int main(int argc, char **argv)
{
    if (argc != 7) {
        fprintf(stderr, "viewers_load sse|ws PORT PATH VIEWERS STALLED SECONDS\n");
        return 2;
    }
    int ws = strcmp(argv[1], "ws") == 0, port = atoi(argv[2]), viewers = atoi(argv[4]), stalled = atoi(argv[5]);
    double seconds = atof(argv[6]);
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    struct viewer *all = calloc((size_t)viewers, sizeof *all);
    ages_ms = malloc(MOST_SAMPLES * sizeof *ages_ms);
    int epoll = epoll_create1(0), opened = 0, lost = 0, refused = 0;
    for (int i = 0; i < stalled; i++) {
        int fd = dial(port, 1);
        if (fd < 0 || ask(fd, ws, argv[3]) < 0) refused++;
    }
    for (int i = 0; i < viewers; i++) {
        struct viewer *viewer = &all[i];
        viewer->fd = dial(port, 0);
        if (viewer->fd < 0 || ask(viewer->fd, ws, argv[3]) < 0) {
            refused++;
            continue;
        }
        fcntl(viewer->fd, F_SETFL, O_NONBLOCK);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = viewer};
        epoll_ctl(epoll, EPOLL_CTL_ADD, viewer->fd, &event);
        opened += poll_once(epoll, 0, &lost);
        while (i + 1 - opened - lost - refused > 100) opened += poll_once(epoll, 10, &lost);
    }
    for (uint64_t end = now_ns() + 20000000000u; opened + lost + refused < viewers && now_ns() < end;)
        opened += poll_once(epoll, 50, &lost);
    printf("READY\n");
    fflush(stdout);
    int ready = 0;
    fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
    while (!ready) {
        char line[8];
        poll_once(epoll, 20, &lost);
        ready = read(STDIN_FILENO, line, sizeof line) >= 0;
    }
    measuring = 1;
    uint64_t end = now_ns() + (uint64_t)(seconds * 1e9);
    while (now_ns() < end) poll_once(epoll, 20, &lost);
    measuring = 0;
    qsort(ages_ms, samples, sizeof *ages_ms, by_age);
    printf("{\"opened\": %d, \"lost\": %d, \"refused\": %d, \"received\": %llu, \"p50_ms\": %.2f, \"p99_ms\": %.2f, "
           "\"max_ms\": %.2f}\n",
           opened, lost, refused, (unsigned long long)received, at_share(0.5), at_share(0.99), at_share(1.0));
    return 0;
}
