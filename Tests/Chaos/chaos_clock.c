// A wrong wall clock for one process of deploy/chaos, which can change while it runs. Loaded by LD_PRELOAD; the file that
// CHAOS_CLOCK names holds the seconds to add, as one 64-bit integer.
//
// Timers go by the monotonic clock, which stays as it is. (libfaketime moves the monotonic timers of libdispatch, too, though
// told not to: with a clock an hour behind, a Swift process waits for an hour.)

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile long long none;
static const volatile long long *offset = &none;
static int (*real_clock_gettime)(clockid_t, struct timespec *);
static int (*real_sem_timedwait)(sem_t *, const struct timespec *);

__attribute__((constructor)) static void begin(void) {
    real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    real_sem_timedwait = dlsym(RTLD_NEXT, "sem_timedwait");
    const char *path = getenv("CHAOS_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *page = mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) offset = page;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    // Somebody's constructor may come before ours.
    if (!real_clock_gettime) begin();
    int status = real_clock_gettime(clock, now);
    if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += *offset;
    return status;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    struct timespec time;
    int status = clock_gettime(CLOCK_REALTIME, &time);
    now->tv_sec = time.tv_sec;
    now->tv_usec = time.tv_nsec / 1000;
    return status;
}

time_t time(time_t *now) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    if (now) *now = time.tv_sec;
    return time.tv_sec;
}

// libdispatch's idle threads wait until a time of this clock.
int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until) {
    struct timespec real = *until;
    real.tv_sec -= *offset;
    return real_sem_timedwait(semaphore, &real);
}
