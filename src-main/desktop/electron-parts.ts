/**
 * The parts of Electron that the app uses, so that its start, its checks and its tray run in tests without Electron.
 * `main.ts` passes Electron itself, which the compiler checks against these types.
 */
export type ElectronParts = {
  readonly app: AppPart
  readonly BrowserWindow: new (options: WindowOptions) => WindowPart
  readonly Menu: MenuFactory
  readonly Tray: new (image: string) => TrayPart
  readonly Notification: NotificationFactory
  readonly clipboard: { writeText(text: string): Promise<void> }
  readonly dialog: DialogPart
  readonly ipcMain: { on(channel: string, listener: (event: PortEvent) => void): unknown }
  readonly powerMonitor: { on(event: 'shutdown', listener: () => void): unknown }
  readonly protocol: ProtocolPart
  readonly safeStorage: SafeStoragePart
  readonly screen: { getAllDisplays(): readonly { readonly workArea: Bounds }[] }
  readonly session: { readonly defaultSession: SessionPart }
  readonly shell: { openExternal(url: string): Promise<void>; openPath(path: string): Promise<string> }
}

export type Preventable = { preventDefault(): void }

export type AppPart = {
  readonly isPackaged: boolean
  setName(name: string): void
  setPath(name: 'userData', path: string): void
  setAppUserModelId(id: string): void
  requestSingleInstanceLock(): boolean
  whenReady(): Promise<unknown>
  getLoginItemSettings(): { readonly wasOpenedAtLogin: boolean }
  setLoginItemSettings(settings: { openAtLogin: boolean; path?: string; args?: string[] }): void
  quit(): void
  exit(code: number): void
  on(event: 'second-instance' | 'activate' | 'window-all-closed', listener: () => void): unknown
  on(event: 'before-quit', listener: (event: Preventable) => void): unknown
  on(
    event: 'web-contents-created',
    listener: (event: Preventable, contents: WebContentsPart) => void,
  ): unknown
}

/** In points. */
export type Bounds = {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export type WindowOptions = {
  readonly x?: number
  readonly y?: number
  readonly width: number
  readonly height: number
  readonly minWidth: number
  readonly minHeight: number
  readonly show: boolean
  readonly title: string
  readonly icon: string
  readonly titleBarStyle?: 'hiddenInset'
  readonly webPreferences: {
    readonly preload: string
    readonly sandbox: true
    readonly contextIsolation: true
    readonly nodeIntegration: false
    readonly webviewTag: false
    readonly spellcheck: false
  }
}

export type WindowPart = {
  readonly webContents: WebContentsPart
  loadURL(url: string): Promise<void>
  show(): void
  focus(): void
  restore(): void
  maximize(): void
  isMinimized(): boolean
  isMaximized(): boolean
  isDestroyed(): boolean
  getNormalBounds(): Bounds
  on(event: 'ready-to-show' | 'closed', listener: () => void): unknown
  on(event: 'close', listener: (event: Preventable) => void): unknown
}

export type FramePart = { readonly origin: string }

export type WebContentsPart = {
  readonly mainFrame: FramePart
  reload(): void
  setWindowOpenHandler(handler: (details: { readonly url: string }) => { action: 'deny' }): void
  on(
    event: 'will-navigate' | 'will-redirect',
    listener: (details: Preventable & { readonly url: string }) => void,
  ): unknown
  on(event: 'did-finish-load', listener: () => void): unknown
  on(event: 'will-attach-webview', listener: (event: Preventable) => void): unknown
  on(
    event: 'render-process-gone',
    listener: (event: Preventable, details: { readonly reason: string }) => void,
  ): unknown
}

export type PortPart = {
  start(): void
  close(): void
  postMessage(data: unknown): void
  on(event: 'message', callback: (event?: { data: unknown }) => void): unknown
  on(event: 'close', callback: (event?: { data: unknown }) => void): unknown
}

/** A message from a page. The frame is null if it has closed or navigated. */
export type PortEvent = {
  readonly senderFrame: FramePart | null
  readonly ports: readonly PortPart[]
}

export type MenuItem = {
  readonly label?: string
  readonly role?: MenuRole
  readonly type?: 'separator'
  readonly enabled?: boolean
  readonly accelerator?: string
  readonly submenu?: MenuItem[]
  readonly click?: () => void
}
type MenuRole =
  | 'appMenu'
  | 'editMenu'
  | 'windowMenu'
  | 'close'
  | 'quit'
  | 'reload'
  | 'toggleDevTools'
  | 'resetZoom'
  | 'zoomIn'
  | 'zoomOut'
  | 'togglefullscreen'
  | 'about'

/** Created by Electron and only passed back to it. */
export type MenuPart = { readonly items: readonly unknown[] }
type MenuFactory = {
  buildFromTemplate(template: MenuItem[]): MenuPart
  setApplicationMenu(menu: MenuPart | null): void
}

export type TrayPart = {
  setImage(image: string): void
  setToolTip(text: string): void
  setContextMenu(menu: MenuPart | null): void
  on(event: 'click', listener: () => void): unknown
  destroy(): void
}

export type NotificationPart = {
  show(): void
  on(event: 'click' | 'close' | 'failed' | 'action', listener: () => void): unknown
  on(event: 'action', listener: (event: unknown, index: number) => void): unknown
}
type NotificationFactory = {
  new (options: {
    title: string
    body: string
    actions: { type: 'button'; text: string }[]
  }): NotificationPart
  isSupported(): boolean
}

export type DialogPart = {
  showErrorBox(title: string, content: string): void
  showMessageBox(options: {
    type: 'error' | 'warning'
    title: string
    message: string
    detail: string
    buttons: string[]
    defaultId: number
    cancelId: number
  }): Promise<{ readonly response: number }>
  showSaveDialog(options: {
    title: string
    defaultPath: string
  }): Promise<{ readonly canceled: boolean; readonly filePath: string }>
}

export type ProtocolPart = {
  registerSchemesAsPrivileged(
    schemes: {
      scheme: string
      privileges: { standard: boolean; secure: boolean; supportFetchAPI: boolean }
    }[],
  ): void
  handle(scheme: string, handler: (request: Request) => Promise<Response>): void
}

export type SafeStoragePart = {
  encryptStringAsync(text: string): Promise<Buffer>
  decryptStringAsync(
    encrypted: Buffer,
  ): Promise<{ readonly result: string; readonly shouldReEncrypt: boolean }>
}

type PermissionDetails = { readonly requestingUrl?: string | undefined }
type SessionPart = {
  setPermissionRequestHandler(
    handler: (
      contents: unknown,
      permission: string,
      callback: (isGranted: boolean) => void,
      details: PermissionDetails,
    ) => void,
  ): void
  setPermissionCheckHandler(handler: (contents: unknown, permission: string, origin: string) => boolean): void
  setDevicePermissionHandler(handler: () => boolean): void
}
