import { expect, test } from 'vitest'
import { stopBeforeQuitting } from '#main/desktop/run-app.ts'
import { createLogRecorder } from '../support/log-recorder.ts'
import { createElectronStandIn } from './electron-stand-in.ts'

function prepare(stop: () => Promise<void>) {
  const electron = createElectronStandIn()
  const log = createLogRecorder()
  const exited = new Promise<number>(resolve => electron.app.once('exit', resolve))
  stopBeforeQuitting(electron.parts, log.logger, stop)
  return { electron, log, exited }
}

test('ends once after everything is stopped, however often it is asked', async () => {
  const stopping = Promise.withResolvers<void>()
  let stops = 0
  const { electron, exited } = prepare(() => {
    stops += 1
    return stopping.promise
  })
  electron.parts.app.quit()
  electron.parts.app.quit()
  expect(electron.calls).toEqual(['quit', 'quit'])
  stopping.resolve()
  expect(await exited).toBe(0)
  expect(stops).toBe(1)
})

test('logs what cannot be stopped, and ends', async () => {
  const { electron, log, exited } = prepare(async () => {
    throw new Error('of the disk')
  })
  electron.parts.app.quit()
  expect(await exited).toBe(1)
  expect(log.text()).toContain('of the disk')
})

test('does not delay a shutdown of the system', () => {
  const { electron } = prepare(async () => {
    throw new Error('It is not asked to.')
  })
  electron.app.emit('shutdown')
  electron.parts.app.quit()
  expect(electron.calls).toEqual(['quit', 'ended'])
})
