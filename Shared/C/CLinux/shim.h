// Linux calls that the Glibc module leaves out.
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>

/// Names the calling thread; at most 15 characters are kept.
static inline void clinux_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

/// Sets the signal that this process gets when its parent dies.
static inline int clinux_set_parent_death_signal(int signal) { return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0); }

/// Returns the user id of the process at the other end of a Unix socket, or -1. It uses SO_PEERCRED with a struct of
/// its own, because `struct ucred` is hidden behind _GNU_SOURCE, which the Glibc module is compiled without.
static inline long clinux_peer_uid(int socket) {
    struct { int pid; unsigned int uid; unsigned int gid; } peer;
    socklen_t length = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -1;
    return (long)peer.uid;
}

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Returns a descriptor that becomes readable when the process ends.
static inline int clinux_pidfd_open(int pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

/// Starts a program in a process group of its own and returns its pid, or -1 with errno.
///
/// The child gets the three descriptors as its standard ones and no other, all signals unblocked and at their defaults,
/// the user and group unless they are -1, and `death_signal` when the calling *thread* ends (0 for none): call it from a
/// thread that lives as long as the process. Between fork and exec only async-signal-safe calls are made.
static inline int clinux_spawn(const char *path, char *const argv[], char *const envp[], const char *directory,
                               int in, int out, int err, int uid, int gid, int death_signal) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        for (int number = 1; number < 65; number++) signal(number, SIG_DFL);
        sigset_t none;
        sigemptyset(&none);
        pthread_sigmask(SIG_SETMASK, &none, 0);
        setpgid(0, 0);
        if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0) _exit(126);
        if (gid >= 0 && (setgroups(0, 0) != 0 || setgid((gid_t)gid) != 0)) _exit(126);
        if (uid >= 0 && setuid((uid_t)uid) != 0) _exit(126);
        // The signal is set after setuid, which clears it. The parent may have died before that.
        if (death_signal > 0) {
            prctl(PR_SET_PDEATHSIG, death_signal, 0, 0, 0);
            if (getppid() != parent) _exit(126);
        }
        if (directory && chdir(directory) != 0) _exit(126);
        // A descriptor that the child keeps would keep the parent's connection open.
        syscall(SYS_close_range, 3U, ~0U, 0U);
        execve(path, argv, envp);
        _exit(127);
    }
    int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, 0);
    errno = error;
    return pid;
}

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>

/// Copies this program's build id, a note that the linker was told to write, and returns its length: 0 without one, or
/// where it is longer than `size`. The program's headers are found where the kernel says, since dl_iterate_phdr is
/// hidden behind _GNU_SOURCE.
static inline int clinux_build_id(unsigned char *id, int size) {
    const Elf64_Phdr *headers = (const Elf64_Phdr *)getauxval(AT_PHDR);
    unsigned long count = getauxval(AT_PHNUM), base = 0;
    for (unsigned long i = 0; headers && i < count; i++) {
        if (headers[i].p_type == PT_PHDR) base = (unsigned long)headers - headers[i].p_vaddr;
    }
    for (unsigned long i = 0; headers && i < count; i++) {
        if (headers[i].p_type != PT_NOTE) continue;
        const unsigned char *note = (const unsigned char *)(base + headers[i].p_vaddr);
        const unsigned char *end = note + headers[i].p_memsz;
        while (end - note >= (long)sizeof(Elf64_Nhdr)) {
            const Elf64_Nhdr *head = (const Elf64_Nhdr *)note;
            const unsigned char *name = note + sizeof *head;
            const unsigned char *value = name + ((head->n_namesz + 3) & ~3u);
            if (head->n_type == NT_GNU_BUILD_ID && head->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
                if (head->n_descsz > (unsigned)size) return 0;
                memcpy(id, value, head->n_descsz);
                return (int)head->n_descsz;
            }
            note = value + ((head->n_descsz + 3) & ~3u);
        }
    }
    return 0;
}
