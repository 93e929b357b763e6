import { chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import type { Plugin } from 'vite'
import { thirdPartyLicenses } from './scripts/third-party-licenses.ts'

const licenses = thirdPartyLicenses(import.meta.dirname)
const at = (path: string) => resolve(import.meta.dirname, path)

/**
 * Everything that runs, as bundles that need no node_modules: only `dependencies` would be left out of them,
 * and there are none. Worker threads are entries beside the two that start them, under the names that
 * `workerUrl` looks for: all of main's files are in one folder.
 */
export default defineConfig({
  main: {
    plugins: [executable(), licenses.collect()],
    build: {
      outDir: 'out/main',
      emptyOutDir: true,
      // The command line runs on Node as well as inside Electron.
      target: 'node24',
      rolldownOptions: {
        input: {
          index: at('src-main/desktop/main.ts'),
          cli: at('src-main/cli/main.ts'),
          'event-log-writer': at('src-main/storage/local/sqlite/event-log-writer.ts'),
          'event-log-reader': at('src-main/storage/local/sqlite/event-log-reader.ts'),
          'diagnosis-worker': at('src-main/inbound/diagnosis-worker.ts'),
          'event-text-worker': at('src-main/inbound/event-text-worker.ts'),
          'trial-worker': at('src-main/senders/trial-worker.ts'),
          'import-worker': at('src-main/importing/import-worker.ts'),
          'import-body-worker': at('src-main/http/import-body-worker.ts'),
          'token-worker': at('src-main/assistant/token-worker.ts'),
          'file-reader-worker': at('src-main/platform/knowledge/file-reader-worker.ts'),
          'knowledge-worker': at('src-main/storage/local/sqlite/knowledge-worker.ts'),
          'history-worker': at('src-main/storage/local/sqlite/history-worker.ts'),
          'backup-worker': at('src-main/storage/postgres/backup-worker.ts'),
        },
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  },
  preload: {
    plugins: [licenses.collect()],
    build: {
      outDir: 'out/preload',
      emptyOutDir: true,
      rolldownOptions: {
        input: { index: at('src-preload/index.ts') },
        // A sandboxed preload is one CommonJS file.
        output: { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false },
      },
    },
  },
  renderer: {
    root: at('src-renderer'),
    plugins: [react(), licenses.write(), compressed()],
    build: {
      outDir: at('out/renderer'),
      emptyOutDir: true,
      minify: 'oxc',
      // Headless browsers open the same page; electron-vite would aim at Electron's own Chromium alone.
      target: 'es2022',
      // In kB: the first screen is one chunk.
      chunkSizeWarningLimit: 1000,
      // Old enough for browsers in use, new enough for light-dark().
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      rolldownOptions: {
        input: { index: at('src-renderer/index.html') },
        output: {
          // Names of shared chunks list the screens that share them.
          chunkFileNames: ({ name }) => `assets/${name.split('~')[0]}-[hash].js`,
          codeSplitting: {
            groups: [
              // Beside the rest, and kept by the browser: a new version of the dashboard rarely changes it.
              { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
              // The first screen needs all of it, so it is one request.
              { name: 'initial', tags: ['$initial'] },
              // Apart from components: chunks that import each other could use a schema before it exists.
              { name: 'schemas', test: /src-shared/ },
              // Tables of icons are made while a chunk loads. In chunks that import each other, an icon could be missing then.
              { name: 'icons', test: /lucide-react/ },
              // By the screens that need it. Were small ones merged, two chunks could import each other.
              { name: 'shared', minShareCount: 2, entriesAware: true },
            ],
          },
        },
      },
    },
  },
})

/** Lets `cli.js` be run by its name, and by a Node that finds no package.json above it. */
function executable(): Plugin {
  return {
    name: 'executable',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'package.json', source: '{ "type": "module" }\n' })
    },
    async writeBundle({ dir = '' }) {
      await chmod(join(dir, 'cli.js'), 0o755)
    },
  }
}

/** Writes texts compressed as well, beside themselves: the dashboard sends them so (http/page.ts). */
function compressed(): Plugin {
  // The highest two qualities take ten times as long for a tenth less.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
  const ways = [
    ['.br', (content: Buffer) => promisify(brotliCompress)(content, { params })],
    ['.gz', promisify<Buffer, Buffer>(gzip)],
  ] as const
  return {
    name: 'compressed',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      const names = await readdir(dir, { recursive: true })
      const texts = names.filter(name => /\.(js|css|html|svg|txt)$/.test(name)).map(name => join(dir, name))
      const pairs = texts.flatMap(file => ways.map(way => [file, way] as const))
      await Promise.all(
        pairs.map(async ([file, [ending, compress]]) =>
          writeFile(file + ending, await compress(await readFile(file))),
        ),
      )
    },
  }
}
