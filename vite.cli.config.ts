import { chmod } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { defineConfig, type Plugin } from 'vite'

const at = (path: string) => resolve(import.meta.dirname, path)

/**
 * The executable as a bundle that needs no node_modules. The event log's worker threads are entries beside
 * it, under the names that `workerUrl` looks for in the folder of its own file: all files lie in one folder.
 */
export default defineConfig({
  build: {
    ssr: true,
    target: 'node24',
    outDir: 'out/main',
    emptyOutDir: true,
    rolldownOptions: {
      input: {
        cli: at('src-main/cli/main.ts'),
        'event-log-writer': at('src-main/store/sqlite/event-log-writer.ts'),
        'event-log-reader': at('src-main/store/sqlite/event-log-reader.ts'),
      },
      output: { format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
  ssr: { noExternal: true, target: 'node' },
  plugins: [executable()],
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
