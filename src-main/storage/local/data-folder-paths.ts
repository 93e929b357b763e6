import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix, resolve, win32 } from 'node:path'
import { sha256Hex } from '#main/lib/sha256-hex.ts'

export type DataFolderPaths = {
  /** The folder itself: absolute, symbolic links resolved. */
  readonly path: string
  readonly configFile: string
  readonly eventLogFile: string
  /** Refused requests and calls. */
  readonly historyFile: string
  /** Counts of the last 24 hours, brought over a restart; derived, nothing is lost with it. */
  readonly statisticsFile: string
  /** Room that is held back for when the disk is full. */
  readonly reserveFile: string
  /** The key that seals the credentials in `configFile`. */
  readonly keyFile: string
  readonly adminTokenFile: string
  /** Who is signed in to the dashboard: digests only. */
  readonly sessionsFile: string
  /** Which connection is the sample, and its server's port; a fact of this computer, in no backup. */
  readonly sampleFile: string
  /** What the running service says of itself (addresses, pid, socket); removed when it stops. */
  readonly serviceFile: string
  /** The Unix socket, or named pipe, on which the service answers the command line. */
  readonly socketPath: string
  /**
   * Held locked while the folder is in use. Nothing else in this process may open it: on POSIX, closing
   * any descriptor of a file gives up all the process's locks on it. A backup leaves it out.
   */
  readonly lockFile: string
  /** Holds the pid of the process that has the lock, which cannot be read out of the locked file. */
  readonly holderFile: string
}

const folderName = 'custom-connection'

// sun_path holds 104 bytes on macOS and 108 on Linux, the closing NUL included.
const maxSocketPathBytes = 103

/** What the platform says a program's data folder is called; `env` and `home` are the user's. */
export function defaultDataFolder(platform: NodeJS.Platform, env: NodeJS.ProcessEnv, home: string): string {
  if (platform === 'win32') {
    return win32.join(env.APPDATA || win32.join(home, 'AppData', 'Roaming'), folderName)
  }
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', folderName)
  const data = env.XDG_DATA_HOME
  // The XDG specification has relative paths ignored.
  const base = data !== undefined && posix.isAbsolute(data) ? data : posix.join(home, '.local', 'share')
  return posix.join(base, folderName)
}

/** Where everything in a data folder lies, for those too who only look for the service that holds it. */
export function dataFolderPaths(folder: string): DataFolderPaths {
  const path = realPath(folder)
  return {
    path,
    configFile: join(path, 'config.json'),
    eventLogFile: join(path, 'events.sqlite'),
    historyFile: join(path, 'history.sqlite'),
    statisticsFile: join(path, 'statistics.json'),
    reserveFile: join(path, 'reserve'),
    keyFile: join(path, 'secret.key'),
    adminTokenFile: join(path, 'admin-token'),
    sessionsFile: join(path, 'sessions.json'),
    sampleFile: join(path, 'sample.json'),
    serviceFile: join(path, 'service.json'),
    socketPath: socketPathOf(path, process.platform, tmpdir()),
    lockFile: join(path, 'lock.sqlite'),
    holderFile: join(path, 'lock.pid'),
  }
}

/**
 * `service.sock` in the folder, unless that is too long for a Unix socket: then in a folder named by the
 * data folder's hash below `temporary` (or /tmp, when even that is too long). On Windows a named pipe.
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
    return resolve(folder) // not there yet: nobody can have another name for it
  }
}
