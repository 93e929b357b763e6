import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The clock of a PostgreSQL server, which can be set while it runs. */
export type ServerClock = {
  /** Variables of the server's environment. */
  readonly env: Readonly<Record<string, string>>
  /** Sets it so many milliseconds ahead of the right time. */
  set(aheadMs: number): void
  remove(): void
}

/** Answers instead of the C library, with a number of milliseconds from a file that all processes of the server map. */
const source = `
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static volatile int64_t none, *ahead_ms = &none;
__attribute__((constructor)) static void map(void) {
  const char *path = getenv("CLOCK_AHEAD_FILE");
  int file = path ? open(path, O_RDONLY) : -1;
  if (file < 0) return;
  void *found = mmap(0, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  if (found != MAP_FAILED) ahead_ms = found;
  close(file);
}
int clock_gettime(clockid_t id, struct timespec *time) {
  int result = syscall(SYS_clock_gettime, id, time);
  if (result != 0 || (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE)) return result;
  int64_t ns = time->tv_nsec + (*ahead_ms % 1000) * 1000000;
  time->tv_sec += *ahead_ms / 1000 + (ns < 0 ? -1 : ns >= 1000000000 ? 1 : 0);
  time->tv_nsec = (ns + 1000000000) % 1000000000;
  return 0;
}
int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}
time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}
`

/** Creates a clock. Returns null without a C compiler, or where no library can be loaded into a program. */
export function createServerClock(): ServerClock | null {
  if (process.platform !== 'linux') return null
  const folder = mkdtempSync(join(tmpdir(), 'cc-clock-'))
  const inFolder = (name: string) => join(folder, name)
  const [code, library, file] = [inFolder('clock.c'), inFolder('clock.so'), inFolder('ahead')]
  writeFileSync(code, source)
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const { status } = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, code])
  if (status !== 0) {
    remove()
    return null
  }
  function set(aheadMs: number): void {
    writeFileSync(file, new BigInt64Array([BigInt(aheadMs)]), { flag: 'r+' })
  }
  writeFileSync(file, new BigInt64Array(1))
  // The server runs as another user.
  chmodSync(folder, 0o755)
  return { env: { LD_PRELOAD: library, CLOCK_AHEAD_FILE: file }, set, remove }
}
