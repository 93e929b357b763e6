import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix, resolve, win32 } from 'node:path'
import { sha256Hex } from '#main/lib/sha256-hex.ts'

export type DataFolderPaths = Readonly<ReturnType<typeof dataFolderPaths>>

const folderName = 'custom-connection'

// sun_path holds 104 bytes on macOS and 108 on Linux, the closing NUL included.
const maxSocketPathBytes = 103

/**
 * Returns the platform's data folder for this program.
 *
 * @param home returns the user's home folder. It is called only if the folder is below it, because a user of a container
 *   often has none.
 * @throws whatever `home` throws.
 */
export function defaultDataFolder(
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
  home: () => string,
): string {
  if (platform === 'win32') {
    return win32.join(env.APPDATA || win32.join(home(), 'AppData', 'Roaming'), folderName)
  }
  if (platform === 'darwin') return posix.join(home(), 'Library', 'Application Support', folderName)
  const data = env.XDG_DATA_HOME
  // The XDG specification ignores relative paths.
  const base = data !== undefined && posix.isAbsolute(data) ? data : posix.join(home(), '.local', 'share')
  return posix.join(base, folderName)
}

/** Returns the paths of everything in a data folder, which need not exist. */
export function dataFolderPaths(folder: string) {
  const path = realPath(folder)
  return {
    /** The folder itself: absolute, symbolic links resolved. */
    path,
    configFile: join(path, 'config.json'),
    eventLogFile: join(path, 'events.sqlite'),
    /** Refused requests and calls. */
    historyFile: join(path, 'history.sqlite'),
    /** The files that agents answer from. */
    knowledgeFile: join(path, 'knowledge.sqlite'),
    /** Files while they are uploaded and read; emptied at each start. No backup contains it. */
    uploadsFolder: join(path, 'uploads'),
    /** Counts of the last 24 hours. They are derived data. */
    statisticsFile: join(path, 'statistics.json'),
    /** Reserves space for when the disk is full. */
    reserveFile: join(path, 'reserve'),
    /** The key that encrypts the credentials in `configFile`. */
    keyFile: join(path, 'secret.key'),
    adminTokenFile: join(path, 'admin-token'),
    /** Digests of the dashboard's sessions. */
    sessionsFile: join(path, 'sessions.json'),
    /** Pauses of connections, and the calls in their rate limits. No backup contains it. */
    callLimitsFile: join(path, 'call-limits.json'),
    /** Which connection is the sample, and its server's port. No backup contains it. */
    sampleFile: join(path, 'sample.json'),
    /** How to reach the running service (addresses, pid, socket); removed when it stops. */
    serviceFile: join(path, 'service.json'),
    /** The Unix socket, or named pipe, on which the service answers the command line. */
    socketPath: socketPathOf(path, process.platform, tmpdir()),
    /**
     * Locked while the folder is in use. Nothing else in this process may open it: on POSIX, closing any descriptor of a
     * file releases all locks of the process on it.
     */
    lockFile: join(path, 'lock.sqlite'),
    /** Contains the pid of the process that holds the lock, because the locked file cannot be read. */
    holderFile: join(path, 'lock.pid'),
  }
}

/**
 * Returns the path of the socket: `service.sock` in the folder. If that is too long for a Unix socket, it is in a folder
 * below `temporary` (or /tmp, if even that is too long) that is named by the data folder's hash. On Windows it is a
 * named pipe.
 */
export function socketPathOf(folder: string, platform: NodeJS.Platform, temporary: string): string {
  const name = `${folderName}-${sha256Hex(folder).slice(0, 16)}`
  if (platform === 'win32') return `\\\\.\\pipe\\${name}`
  const candidates = [folder, posix.join(temporary, name)].map(at => posix.join(at, 'service.sock'))
  return (
    candidates.find(path => Buffer.byteLength(path) <= maxSocketPathBytes) ??
    posix.join('/tmp', name, 'service.sock')
  )
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return resolve(folder) // does not exist, so it has no other name
  }
}
