import { describe, expect, test } from 'vitest'
import { defaultDataFolder, socketPathOf } from '#main/storage/local/data-folder-paths.ts'

describe('the default data folder', () => {
  test.for<[NodeJS.Platform, NodeJS.ProcessEnv, string, string]>([
    ['linux', {}, '/home/ada', '/home/ada/.local/share/custom-connection'],
    ['linux', { XDG_DATA_HOME: '/data' }, '/home/ada', '/data/custom-connection'],
    ['linux', { XDG_DATA_HOME: '' }, '/home/ada', '/home/ada/.local/share/custom-connection'],
    ['linux', { XDG_DATA_HOME: 'relative' }, '/home/ada', '/home/ada/.local/share/custom-connection'],
    ['freebsd', {}, '/home/ada', '/home/ada/.local/share/custom-connection'],
    [
      'darwin',
      { XDG_DATA_HOME: '/data' },
      '/Users/ada',
      '/Users/ada/Library/Application Support/custom-connection',
    ],
    [
      'win32',
      { APPDATA: 'C:\\Users\\ada\\Roaming' },
      'C:\\Users\\ada',
      'C:\\Users\\ada\\Roaming\\custom-connection',
    ],
    ['win32', {}, 'C:\\Users\\ada', 'C:\\Users\\ada\\AppData\\Roaming\\custom-connection'],
  ])('on %s with %j', ([platform, env, home, expected]) => {
    expect(defaultDataFolder(platform, env, () => home)).toBe(expected)
  })

  test('needs no home folder if the environment names another place', () => {
    const none = () => {
      throw new Error('uv_os_homedir returned ENOENT')
    }
    expect(defaultDataFolder('linux', { XDG_DATA_HOME: '/data' }, none)).toBe('/data/custom-connection')
    expect(defaultDataFolder('win32', { APPDATA: 'C:\\data' }, none)).toBe('C:\\data\\custom-connection')
    expect(() => defaultDataFolder('linux', {}, none)).toThrow('ENOENT')
  })
})

describe('the socket', () => {
  const limit = 103
  const folderOf = (bytes: number) => `/${'é'.repeat((bytes - 1) / 2)}`

  test('is in the folder if its path is short enough in bytes', () => {
    const longest = folderOf(limit - '/service.sock'.length - 1)
    expect(socketPathOf(longest, 'linux', '/tmp')).toBe(`${longest}/service.sock`)
    expect(socketPathOf(`${longest}xx`, 'linux', '/tmp')).toMatch(
      /^\/tmp\/custom-connection-[0-9a-f]{16}\/service\.sock$/,
    )
  })

  test('is different for different folders', () => {
    const [first, second] = ['a', 'b'].map(end => socketPathOf(folderOf(201) + end, 'darwin', '/tmp'))
    expect(first).not.toBe(second)
    expect(socketPathOf(`${folderOf(201)}a`, 'darwin', '/tmp')).toBe(first)
  })

  test('is short enough even if the temporary folder’s path is long', () => {
    const path = socketPathOf(folderOf(201), 'linux', folderOf(101))
    expect(path).toMatch(/^\/tmp\//)
    expect(Buffer.byteLength(path)).toBeLessThanOrEqual(limit)
  })

  test('is a named pipe on Windows', () => {
    expect(socketPathOf('C:\\data', 'win32', 'C:\\Temp')).toMatch(
      /^\\\\\.\\pipe\\custom-connection-[0-9a-f]{16}$/,
    )
  })
})
