// SPDX-FileCopyrightText: 2026 The vendorctl authors
// SPDX-License-Identifier: Apache-2.0
//
// Preloaded into a command and every program that it starts: counts the calls that change something below a folder,
// and makes the one with a chosen number fail. Used by support/syscalls.py.
//
//   FAULTS_BELOW   only paths below this folder count
//   FAULTS_FILE    a file of 8 bytes, shared by all processes: the number of calls so far
//   FAULTS_AT      the number (from 0) of the call that fails; none fails when it is absent
//   FAULTS_ERRNO   what it fails with
//   FAULTS_LASTING "1": every later call fails as well
//   FAULTS_DEADLY  "1": the call does not fail, it kills its whole process group
//   FAULTS_LOG     a file that gets the name of every call that failed

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static long at = -1;
static int code, lasting, deadly;
static const char *below, *log_file;
static volatile long *count;

__attribute__((constructor)) static void begin(void) {
  const char *file = getenv("FAULTS_FILE"), *number = getenv("FAULTS_AT");
  below = getenv("FAULTS_BELOW");
  if (!file || !below) return;
  int shared = syscall(SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC, 0);
  if (shared < 0) return;
  void *page = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
  syscall(SYS_close, shared);
  if (page == MAP_FAILED) return;
  at = number ? atol(number) : -1;
  code = getenv("FAULTS_ERRNO") ? atoi(getenv("FAULTS_ERRNO")) : EIO;
  lasting = getenv("FAULTS_LASTING") != NULL;
  deadly = getenv("FAULTS_DEADLY") != NULL;
  log_file = getenv("FAULTS_LOG");
  count = page;
}

static int is_below(const char *path) {
  size_t length = strlen(below);
  return !strncmp(path, below, length) && (path[length] == '/' || !path[length]);
}

static int of_descriptor(int fd, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t size = readlink(link, path, PATH_MAX - 1);
  if (size <= 0) return 0;
  path[size] = 0;
  return 1;
}

// Whether a path, taken from a folder, lies where calls count.
static int counts(int folder, const char *path) {
  char base[PATH_MAX], whole[2 * PATH_MAX];
  if (!count || !path) return 0;
  if (path[0] == '/') return is_below(path);
  if (folder == AT_FDCWD ? !getcwd(base, sizeof base) : !of_descriptor(folder, base)) return 0;
  snprintf(whole, sizeof whole, "%s/%s", base, path);
  return is_below(whole);
}

// Whether a descriptor is a file of ours; pipes and terminals never fail.
static int is_file(int fd) {
  char path[PATH_MAX];
  struct stat state;
  if (!count || fstat(fd, &state) || !(S_ISREG(state.st_mode) || S_ISDIR(state.st_mode))) return 0;
  return of_descriptor(fd, path) && is_below(path);
}

static int fails(const char *name) {
  long number = __atomic_fetch_add(count, 1, __ATOMIC_SEQ_CST);
  if (at < 0 || (lasting ? number < at : number != at)) return 0;
  if (deadly) kill(0, SIGKILL);
  if (log_file) {
    int log = syscall(SYS_openat, AT_FDCWD, log_file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    syscall(SYS_write, log, name, strlen(name));
    syscall(SYS_write, log, "\n", 1);
    syscall(SYS_close, log);
  }
  errno = code;
  return 1;
}

#define REAL(result, name, ...) \
  static result (*real)(__VA_ARGS__); \
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name)

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    va_list rest; va_start(rest, flags); mode_t mode = va_arg(rest, mode_t); va_end(rest); \
    REAL(int, name, const char *, int, ...); \
    if ((flags & (O_CREAT | O_WRONLY | O_RDWR)) && counts(AT_FDCWD, path) && fails(#name)) return -1; \
    return real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
  int name(int folder, const char *path, int flags, ...) { \
    va_list rest; va_start(rest, flags); mode_t mode = va_arg(rest, mode_t); va_end(rest); \
    REAL(int, name, int, const char *, int, ...); \
    if ((flags & (O_CREAT | O_WRONLY | O_RDWR)) && counts(folder, path) && fails(#name)) return -1; \
    return real(folder, path, flags, mode); \
  }
OPENAT(openat)
OPENAT(openat64)

#define ON_PATH(name, PARAMETERS, folder, path, ...) \
  int name PARAMETERS { \
    static int (*real) PARAMETERS; \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name); \
    if (counts(folder, path) && fails(#name)) return -1; \
    return real(__VA_ARGS__); \
  }
ON_PATH(creat, (const char *p, mode_t m), AT_FDCWD, p, p, m)
ON_PATH(rename, (const char *p, const char *q), AT_FDCWD, q, p, q)
ON_PATH(renameat, (int d, const char *p, int e, const char *q), e, q, d, p, e, q)
ON_PATH(renameat2, (int d, const char *p, int e, const char *q, unsigned f), e, q, d, p, e, q, f)
ON_PATH(link, (const char *p, const char *q), AT_FDCWD, q, p, q)
ON_PATH(linkat, (int d, const char *p, int e, const char *q, int f), e, q, d, p, e, q, f)
ON_PATH(unlink, (const char *p), AT_FDCWD, p, p)
ON_PATH(unlinkat, (int d, const char *p, int f), d, p, d, p, f)
ON_PATH(mkdir, (const char *p, mode_t m), AT_FDCWD, p, p, m)
ON_PATH(mkdirat, (int d, const char *p, mode_t m), d, p, d, p, m)
ON_PATH(rmdir, (const char *p), AT_FDCWD, p, p)
ON_PATH(symlink, (const char *p, const char *q), AT_FDCWD, q, p, q)
ON_PATH(symlinkat, (const char *p, int d, const char *q), d, q, p, d, q)
ON_PATH(chmod, (const char *p, mode_t m), AT_FDCWD, p, p, m)
ON_PATH(fchmodat, (int d, const char *p, mode_t m, int f), d, p, d, p, m, f)
ON_PATH(truncate, (const char *p, off_t n), AT_FDCWD, p, p, n)

#define ON_FILE(result, name, PARAMETERS, ...) \
  result name PARAMETERS { \
    static result (*real) PARAMETERS; \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name); \
    if (is_file(fd) && fails(#name)) return -1; \
    return real(__VA_ARGS__); \
  }
ON_FILE(ssize_t, write, (int fd, const void *b, size_t n), fd, b, n)
ON_FILE(ssize_t, pwrite, (int fd, const void *b, size_t n, off_t o), fd, b, n, o)
ON_FILE(ssize_t, pwrite64, (int fd, const void *b, size_t n, off64_t o), fd, b, n, o)
ON_FILE(ssize_t, writev, (int fd, const struct iovec *v, int n), fd, v, n)
ON_FILE(ssize_t, sendfile, (int fd, int in, off_t *o, size_t n), fd, in, o, n)
ON_FILE(ssize_t, sendfile64, (int fd, int in, off64_t *o, size_t n), fd, in, o, n)
ON_FILE(int, fsync, (int fd), fd)
ON_FILE(int, fdatasync, (int fd), fd)
ON_FILE(int, fchmod, (int fd, mode_t m), fd, m)
ON_FILE(int, ftruncate, (int fd, off_t n), fd, n)
ON_FILE(int, ftruncate64, (int fd, off64_t n), fd, n)
