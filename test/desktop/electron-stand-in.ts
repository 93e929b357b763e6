import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import type {
  Bounds,
  ElectronParts,
  FramePart,
  MenuItem,
  MenuPart,
  NotificationPart,
  PortPart,
  Preventable,
  TrayPart,
  WebContentsPart,
  WindowOptions,
  WindowPart,
} from '#main/desktop/electron-parts.ts'

/** A listener of an emitter. */
type Listener = Parameters<EventEmitter['on']>[1]

export type Prevention = Preventable & { readonly isPrevented: boolean }

/** An event as Electron hands it out, and whether anybody has prevented it. */
export function preventable<Details extends object>(details: Details): Details & Prevention {
  const event = {
    ...details,
    isPrevented: false,
    preventDefault() {
      event.isPrevented = true
    },
  }
  return event
}

export type WindowStandIn = WindowPart & {
  readonly options: WindowOptions
  readonly contents: EventEmitter
  readonly frame: { origin: string }
  readonly calls: string[]
  bounds: Bounds
  /** Answers a link that opens a window. */
  open(url: string): { action: 'deny' }
  /** As the user closes it. */
  close(): void
}

export type ElectronStandIn = {
  readonly parts: ElectronParts
  /** The calls, in order. */
  readonly calls: string[]
  readonly app: EventEmitter
  readonly windows: WindowStandIn[]
  readonly trays: (TrayPart & { image: string; toolTip: string; menu: MenuItem[]; click(): void })[]
  /** How often a click on a tray has opened its menu, which a click also does on macOS. */
  menusOpened: number
  readonly notifications: { title: string; body: string; click(): void; choose(label: string): void }[]
  readonly menu: MenuItem[]
  readonly opened: string[]
  readonly clipboard: string[]
  readonly dialogs: { message: string; detail: string; buttons: readonly string[] }[]
  /** The label of the button that each question is answered with, in order; the last one for all that follow. */
  readonly answers: string[]
  /** Called before a question is answered. */
  onQuestion: () => unknown
  /** The answer to the save dialog; null for cancel. */
  saveTo: string | null
  readonly loginItem: { openAtLogin: boolean; path?: string; args?: string[] }[]
  readonly keyring: { isAvailable: boolean; password: string; prefix: string; renew: boolean }
  /** Whether it behaves as on macOS, where that differs. */
  isMac: boolean
  isWayland: boolean
  /** Whether this is the first instance. */
  isFirst: boolean
  wasOpenedAtLogin: boolean
  workAreas: Bounds[]
  ready(): void
  connect(event: { senderFrame: FramePart | null; ports: readonly PortPart[] }): void
  fetch(url: string, init?: RequestInit): Promise<Response>
  asks(permission: string, requestingUrl: string): boolean
  checks(permission: string, origin: string): boolean
  device(): boolean
}

/** Electron as far as the app uses it: it keeps what it was told, and does what the tests have it do. */
export function createElectronStandIn(): ElectronStandIn {
  const calls: string[] = []
  const app = new EventEmitter()
  const ipc = new EventEmitter()
  const readiness = Promise.withResolvers<void>()
  const keyring = { isAvailable: true, password: 'of the keyring', prefix: 'v11', renew: false }
  /** On Linux the keyring is asked once: one that is unlocked later is of use to the next start alone. */
  let keyringAsked: typeof keyring | null = null
  function keyringInUse() {
    keyringAsked ??= { ...keyring }
    return standIn.isMac ? keyring : keyringAsked
  }
  let pageHandler: ((request: Request) => Promise<Response>) | null = null
  let onRequest: Parameters<ElectronParts['session']['defaultSession']['setPermissionRequestHandler']>[0]
  let onCheck: Parameters<ElectronParts['session']['defaultSession']['setPermissionCheckHandler']>[0]
  let onDevice: () => boolean
  const templates = new WeakMap<MenuPart, MenuItem[]>()
  const itemsOf = (menu: MenuPart | null) => (menu === null ? [] : (templates.get(menu) ?? []))

  class WindowOfTests extends EventEmitter implements WindowStandIn {
    readonly contents = new EventEmitter()
    readonly frame = { origin: 'app://cc' }
    readonly calls: string[] = []
    readonly options: WindowOptions
    readonly webContents: WebContentsPart
    bounds: Bounds
    #isDestroyed = false
    #hasLoaded = false
    #wasShown = false
    #isReadyToShow = false
    #isMaximized = false
    #isMinimized = false
    #openHandler: (details: { url: string }) => { action: 'deny' } = () => {
      throw new Error('No handler decides on new windows.')
    }

    constructor(options: WindowOptions) {
      super()
      this.options = options
      const { width, height, x = 0, y = 0 } = options
      this.bounds = { x, y, width, height }
      this.webContents = {
        mainFrame: this.frame,
        reload: () => void this.calls.push('reload'),
        setWindowOpenHandler: handler => {
          this.#openHandler = handler
        },
        on: (event: string, listener: Listener) => this.contents.on(event, listener),
      }
      calls.push('window')
      standIn.windows.push(this)
      app.emit('web-contents-created', preventable({}), this.webContents)
    }
    async loadURL(url: string) {
      this.calls.push(`load ${url}`)
      queueMicrotask(() => {
        this.#hasLoaded = true
        this.contents.emit('did-finish-load')
        this.#paint()
      })
    }
    show() {
      this.calls.push('show')
      this.#wasShown = true
      this.#paint()
    }
    /** A painted window is ready to be shown. Under Wayland (electron/electron#48859), it must be shown first. */
    #paint() {
      if (this.#isReadyToShow || !this.#hasLoaded || (standIn.isWayland && !this.#wasShown)) return
      this.#isReadyToShow = true
      this.emit('ready-to-show')
    }
    focus() {
      this.calls.push('focus')
    }
    restore() {
      this.calls.push('restore')
      this.#isMinimized = false
    }
    maximize() {
      this.calls.push('maximize')
      this.#isMaximized = true
    }
    minimize() {
      this.#isMinimized = true
    }
    isMinimized() {
      return this.#isMinimized
    }
    isMaximized() {
      return this.#isMaximized
    }
    isDestroyed() {
      return this.#isDestroyed
    }
    getNormalBounds() {
      return this.bounds
    }
    open(url: string) {
      return this.#openHandler({ url })
    }
    close() {
      this.emit('close', preventable({}))
      this.#isDestroyed = true
      this.emit('closed')
      if (standIn.windows.every(window => window.isDestroyed())) app.emit('window-all-closed')
    }
  }

  class TrayOfTests extends EventEmitter {
    image: string
    toolTip = ''
    menu: MenuItem[] = []
    constructor(image: string) {
      super()
      this.image = image
      calls.push('tray')
      standIn.trays.push(this)
    }
    setImage(image: string) {
      this.image = image
    }
    setToolTip(text: string) {
      this.toolTip = text
    }
    setContextMenu(menu: MenuPart | null) {
      this.menu = itemsOf(menu)
    }
    click() {
      this.emit('click')
      if (standIn.isMac && this.menu.length > 0) standIn.menusOpened += 1
    }
    destroy() {
      calls.push('tray removed')
    }
  }

  class NotificationOfTests extends EventEmitter implements NotificationPart {
    static isSupported() {
      return true
    }
    readonly title: string
    readonly body: string
    readonly actions: readonly string[]
    constructor({ title, body, actions }: ConstructorParameters<ElectronParts['Notification']>[0]) {
      super()
      this.title = title
      this.body = body
      this.actions = actions.map(({ text }) => text)
    }
    show() {
      const { title, body, actions } = this
      // A click finds nobody once nothing holds the notification any more.
      const held = new WeakRef(this)
      standIn.notifications.push({
        ...{ title, body },
        click: () => void held.deref()?.emit('click'),
        choose: label => void held.deref()?.emit('action', {}, actions.indexOf(label)),
      })
    }
  }

  const parts: ElectronParts = {
    app: {
      isPackaged: false,
      setName: name => void calls.push(`name ${name}`),
      setPath(_name, path) {
        if (!existsSync(path)) throw new Error('Failed to set path')
        calls.push(`userData ${path}`)
      },
      setAppUserModelId: () => {},
      requestSingleInstanceLock() {
        calls.push('lock')
        return standIn.isFirst
      },
      whenReady: () => readiness.promise,
      getLoginItemSettings: () => ({ wasOpenedAtLogin: standIn.wasOpenedAtLogin }),
      setLoginItemSettings: settings => void standIn.loginItem.push(settings),
      quit() {
        calls.push('quit')
        const event = preventable({})
        app.emit('before-quit', event)
        if (!event.isPrevented) calls.push('ended')
      },
      exit(code) {
        calls.push(`exit ${code}`)
        app.emit('exit', code)
      },
      on: (event: string, listener: Listener) => app.on(event, listener),
    },
    BrowserWindow: WindowOfTests,
    Tray: TrayOfTests,
    Notification: NotificationOfTests,
    Menu: {
      buildFromTemplate(template) {
        const menu = { items: template }
        templates.set(menu, template)
        return menu
      },
      setApplicationMenu: menu => void standIn.menu.splice(0, Number.POSITIVE_INFINITY, ...itemsOf(menu)),
    },
    clipboard: { writeText: async text => void standIn.clipboard.push(text) },
    dialog: {
      showErrorBox: (message, detail) => void standIn.dialogs.push({ message, detail, buttons: [] }),
      async showMessageBox({ message, detail, buttons }) {
        standIn.dialogs.push({ message, detail, buttons })
        await standIn.onQuestion()
        const answer = standIn.answers.length > 1 ? standIn.answers.shift() : standIn.answers[0]
        const response = buttons.indexOf(answer ?? '')
        if (response < 0) throw new Error(`“${message}” has no button “${answer}”: ${buttons.join(', ')}.`)
        return { response }
      },
      showSaveDialog: async () => ({ canceled: standIn.saveTo === null, filePath: standIn.saveTo ?? '' }),
    },
    ipcMain: { on: (channel, listener) => ipc.on(channel, listener) },
    powerMonitor: { on: (event, listener) => app.on(event, listener) },
    protocol: {
      registerSchemesAsPrivileged: ([first]) => void calls.push(`scheme ${first?.scheme}`),
      handle(scheme, handler) {
        calls.push(`serve ${scheme}`)
        pageHandler = handler
      },
    },
    safeStorage: {
      async encryptStringAsync(text) {
        const { isAvailable, password, prefix } = keyringInUse()
        if (text === '') return Buffer.alloc(0)
        if (!isAvailable && standIn.isMac) throw new Error('Error while encrypting the text provided')
        const head = isAvailable ? prefix + password : 'v10known to everybody'
        return Buffer.from(`${head}\n${Buffer.from(text).toString('hex')}`)
      },
      async decryptStringAsync(encrypted) {
        const { isAvailable, password, renew } = keyringInUse()
        const [head = '', hex = ''] = encrypted.toString().split('\n')
        if (!isAvailable || head.slice(3) !== password)
          throw new Error('Error while decrypting the ciphertext')
        return { result: Buffer.from(hex, 'hex').toString(), shouldReEncrypt: renew }
      },
    },
    screen: { getAllDisplays: () => standIn.workAreas.map(workArea => ({ workArea })) },
    session: {
      defaultSession: {
        setPermissionRequestHandler(handler) {
          onRequest = handler
        },
        setPermissionCheckHandler(handler) {
          onCheck = handler
        },
        setDevicePermissionHandler(handler) {
          onDevice = handler
        },
      },
    },
    shell: {
      openExternal: async url => void standIn.opened.push(url),
      async openPath(path) {
        standIn.opened.push(path)
        return ''
      },
    },
  }

  const standIn: ElectronStandIn = {
    parts,
    calls,
    app,
    windows: [],
    trays: [],
    menusOpened: 0,
    notifications: [],
    menu: [],
    opened: [],
    clipboard: [],
    dialogs: [],
    answers: ['Quit'],
    onQuestion: () => {},
    saveTo: null,
    loginItem: [],
    keyring,
    isMac: false,
    isWayland: false,
    isFirst: true,
    wasOpenedAtLogin: false,
    workAreas: [{ x: 0, y: 0, width: 1920, height: 1080 }],
    ready() {
      calls.push('ready')
      readiness.resolve()
    },
    connect: event => void ipc.emit('custom-connection:connect', event),
    async fetch(url, init) {
      if (pageHandler === null) throw new Error('No page is served.')
      return pageHandler(new Request(url, init))
    },
    asks(permission, requestingUrl) {
      let isGranted = false
      onRequest(null, permission, granted => (isGranted = granted), { requestingUrl })
      return isGranted
    },
    checks: (permission, origin) => onCheck(null, permission, origin),
    device: () => onDevice(),
  }
  return standIn
}
