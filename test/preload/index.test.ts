import { beforeEach, expect, test, vi } from 'vitest'

type Listener = (event: object) => void

const exposed = new Map<string, unknown>()
const sent: unknown[][] = []
let listeners: Listener[] = []
const page = {
  addEventListener: (_type: 'message', listener: Listener) => void listeners.push(listener),
  removeEventListener(_type: 'message', listener: Listener) {
    listeners = listeners.filter(other => other !== listener)
  },
}
const hello = { source: page, origin: 'app://cc', data: 'custom-connection:hello', ports: ['port'] }
const post = (event: object) => {
  for (const listener of listeners) listener(event)
}

beforeEach(async () => {
  exposed.clear()
  sent.length = 0
  listeners = []
  vi.resetModules()
  vi.doMock('electron', () => ({
    contextBridge: {
      exposeInMainWorld: (name: string, value: unknown) => void exposed.set(name, value),
    },
    ipcRenderer: { postMessage: (...args: unknown[]) => void sent.push(args) },
  }))
  vi.stubGlobal('window', page)
  vi.stubGlobal('location', { origin: 'app://cc' })
  await import('../../src-preload/index.ts')
})

test('the page is told how to reach the service, and nothing else', () => {
  expect([...exposed]).toEqual([['customConnection', { transport: 'message-port' }]])
})

test.each([
  ['from another window', { source: {} }],
  ['from another origin', { origin: 'https://example.com' }],
  ['that says something else', { data: 'hello' }],
  ['without a port', { ports: [] }],
  ['with two ports', { ports: ['one', 'two'] }],
])('a message %s is not passed on', (_case, changes) => {
  post({ ...hello, ...changes })
  expect(sent).toEqual([])
})

test('one port is passed on, once', () => {
  post(hello)
  post({ ...hello, ports: ['another'] })
  expect(sent).toEqual([['custom-connection:connect', null, ['port']]])
})
