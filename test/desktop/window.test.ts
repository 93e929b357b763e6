import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { placeWindow } from '#main/desktop/window.ts'
import { launchApp } from './app-fixture.ts'
import { preventable } from './electron-stand-in.ts'

const screen = { x: 0, y: 25, width: 1920, height: 1055 }
const right = { x: 1920, y: 0, width: 1280, height: 1024 }
const state = (x: number, y: number, width = 1000, height = 700) => ({
  bounds: { x, y, width, height },
  isMaximized: false,
})

describe('the window opens', () => {
  test.each([
    ['first, in the middle', null, [screen], { width: 1280, height: 800 }],
    [
      'first, no larger than the screen',
      null,
      [{ ...screen, width: 1100, height: 700 }],
      { width: 1100, height: 700 },
    ],
    ['where it was', state(100, 200), [screen], { x: 100, y: 200, width: 1000, height: 700 }],
    [
      'on the display where it was',
      state(2000, 10),
      [screen, right],
      { x: 2000, y: 10, width: 1000, height: 700 },
    ],
    ['in the middle when that display is gone', state(2000, 10), [screen], { width: 1000, height: 700 }],
    ['partly outside, as it was', state(-800, 200), [screen], { x: -800, y: 200, width: 1000, height: 700 }],
    ['where its title bar can be reached', state(-950, 200), [screen], { width: 1000, height: 700 }],
    ['never under a panel at the top', state(100, 0), [screen], { width: 1000, height: 700 }],
    ['never below the screen', state(100, 1070), [screen], { width: 1000, height: 700 }],
    [
      'no larger than its display',
      state(10, 30, 4000, 3000),
      [screen],
      { x: 10, y: 30, width: 1920, height: 1055 },
    ],
    [
      'no smaller than its panes',
      state(10, 30, 300, 200),
      [screen],
      { x: 10, y: 30, width: 900, height: 600 },
    ],
    ['without any display', null, [], { width: 1280, height: 800 }],
  ])('%s', (_case, kept, workAreas, placed) => {
    expect(placeWindow(kept, workAreas)).toEqual(placed)
  })

  test.each([
    ['darwin', false],
    ['linux', false],
    ['linux', true],
  ] as const)('once on %s, under Wayland %j', async (platform, isWayland) => {
    const app = await launchApp({
      options: { platform },
      prepare: electron => {
        electron.isWayland = isWayland
      },
    })
    await app.started
    await expect.poll(() => app.window().calls).toEqual(['load app://cc/', 'show'])
    app.window().contents.emit('did-finish-load')
    expect(app.window().calls).toEqual(['load app://cc/', 'show'])
  })

  test('where it was when it was closed or the app quit, and maximized if it was', async () => {
    const first = await launchApp()
    await first.started
    first.window().bounds = { x: 50, y: 60, width: 1111, height: 777 }
    first.window().close()
    first.electron.app.emit('activate')
    expect(first.window().options).toMatchObject({ x: 50, y: 60, width: 1111, height: 777 })

    first.window().bounds = { x: 70, y: 80, width: 1000, height: 700 }
    first.window().maximize()
    await first.quit()
    const second = await launchApp({ dataFolder: first.dataFolder })
    await second.started
    expect(second.window().options).toMatchObject({ x: 70, y: 80, width: 1000, height: 700 })
    expect(second.window().calls).toEqual(['load app://cc/', 'maximize', 'show'])
    expect(JSON.parse(await readFile(join(first.dataFolder, 'desktop.json'), 'utf8'))).toMatchObject({
      window: { isMaximized: true },
    })
  })
})

describe('a page that crashes', () => {
  const gone = (reason: string) => [preventable({}), { reason }] as const

  test('is loaded again at once, and after a second crash only on request', async () => {
    const app = await launchApp({
      prepare: electron => void electron.answers.splice(0, 1, 'Load again', 'Quit'),
    })
    await app.started
    const { contents, calls } = app.window()
    const reloads = () => calls.filter(call => call === 'reload').length
    contents.emit('render-process-gone', ...gone('clean-exit'))
    expect(reloads()).toBe(0)
    contents.emit('render-process-gone', ...gone('crashed'))
    expect(reloads()).toBe(1)
    expect(app.electron.dialogs).toEqual([])

    app.clock.now += 59_000
    contents.emit('render-process-gone', ...gone('oom'))
    await expect.poll(reloads).toBe(2)
    expect(app.electron.dialogs).toMatchObject([
      {
        message: 'The window has stopped working again',
        detail: expect.stringMatching(/Events are still received.*oom/s),
      },
    ])
    // A minute later it is a new mishap.
    app.clock.now += 60_000
    contents.emit('render-process-gone', ...gone('crashed'))
    expect(reloads()).toBe(3)
    expect(app.electron.dialogs).toHaveLength(1)

    contents.emit('render-process-gone', ...gone('crashed'))
    expect(await app.quit()).toBe(0)
    expect(reloads()).toBe(3)
  })
})
