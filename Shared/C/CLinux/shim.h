// Linux calls that the Glibc module leaves out.
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>

/// Names the calling thread, 15 characters at most.
static inline void clinux_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

/// The signal this process gets when its parent dies.
static inline int clinux_set_parent_death_signal(int signal) { return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0); }

/// The user id of the process at the other end of a Unix socket, or -1 (SO_PEERCRED; `struct ucred` is hidden
/// behind _GNU_SOURCE, which the Glibc module is compiled without).
static inline long clinux_peer_uid(int socket) {
    struct { int pid; unsigned int uid; unsigned int gid; } peer;
    socklen_t length = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -1;
    return (long)peer.uid;
}
