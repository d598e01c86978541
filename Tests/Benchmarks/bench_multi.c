// The same pushes by libcurl's multi interface, as its documentation shows it: for comparison in `deploy/bench fanout`.
//
//   bench_multi TARGETS PAYLOAD CA REQUESTS CONNECTIONS STREAMS HEADER...
//
// TARGETS has a URL a line, gone through again and again. Prints one line of JSON.

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

static char *contents(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(66);
    }
    fseek(file, 0, SEEK_END);
    *length = ftell(file);
    rewind(file);
    char *bytes = malloc(*length + 1);
    if (!bytes || fread(bytes, 1, *length, file) != *length) exit(70);
    bytes[*length] = 0;
    fclose(file);
    return bytes;
}

static size_t nowhere(char *bytes, size_t size, size_t count, void *ignored) {
    (void)bytes, (void)ignored;
    return size * count;
}

int main(int argc, char **argv) {
    if (argc < 8) {
        fprintf(stderr, "bench_multi: TARGETS PAYLOAD CA REQUESTS CONNECTIONS STREAMS HEADER...\n");
        return 64;
    }
    size_t targets_length, payload_length;
    char *targets = contents(argv[1], &targets_length), *payload = contents(argv[2], &payload_length);
    long requests = atol(argv[4]), connections = atol(argv[5]), streams = atol(argv[6]);
    struct curl_slist *headers = NULL;
    for (int i = 7; i < argc; i++) headers = curl_slist_append(headers, argv[i]);
    long count = 0, room = 1024;
    char **urls = malloc(room * sizeof *urls);
    for (char *line = strtok(targets, "\n"); line; line = strtok(NULL, "\n")) {
        if (count == room) urls = realloc(urls, (room *= 2) * sizeof *urls);
        urls[count++] = line;
    }
    if (requests < 1 || connections < 1 || streams < 1 || count == 0) return 64;

    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, connections);
    curl_multi_setopt(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, streams);
    long at_once = connections * streams, begun = 0, ok = 0, done = 0;
    if (at_once > requests) at_once = requests;
    double began = seconds(CLOCK_MONOTONIC), spent = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (; begun < at_once; begun++) {
        CURL *easy = curl_easy_init();
        curl_easy_setopt(easy, CURLOPT_URL, urls[begun % count]);
        curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS);
        curl_easy_setopt(easy, CURLOPT_CAINFO, argv[3]);
        curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, payload);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)payload_length);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, nowhere);
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_multi_add_handle(multi, easy);
    }
    while (done < requests) {
        int running, left;
        if (curl_multi_perform(multi, &running) != CURLM_OK) return 70;
        for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
            if (message->msg != CURLMSG_DONE) continue;
            CURL *easy = message->easy_handle;
            long status = 0;
            if (message->data.result == CURLE_OK) curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
            ok += status == 200;
            done++;
            curl_multi_remove_handle(multi, easy);
            if (begun < requests) {
                curl_easy_setopt(easy, CURLOPT_URL, urls[begun++ % count]);
                curl_multi_add_handle(multi, easy);
            } else {
                curl_easy_cleanup(easy);
            }
        }
        if (done < requests) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    spent = seconds(CLOCK_PROCESS_CPUTIME_ID) - spent;
    double elapsed = seconds(CLOCK_MONOTONIC) - began;
    printf("{\"accepted\":%ld,\"perSecond\":%.0f,\"microseconds\":%.2f}\n", ok, ok / elapsed, spent * 1e6 / (ok ? ok : 1));
    // It opens streams before it has read that there is one until the first good provider token: some are refused.
    return ok >= requests - 100 * connections ? 0 : 1;
}
