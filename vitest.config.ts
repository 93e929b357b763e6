import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { testMs, waitMs } from './test/support/patience.ts'

// Workers and the processes that tests start load the same modules over and over: compiled once, they start in
// half the time.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'compiled')

/** Tests of what is built, which is built once before them. Most open it in a browser. */
export const browser = [
  'test/e2e/dashboard/**/*.test.ts',
  'test/**/*.browser.test.ts',
  'test/cli/bundle.test.ts',
  'test/cli/mcp-command.test.ts',
  'test/scripts/start-process.test.ts',
  'test/desktop/packaging.test.ts',
  'test/on-prem.test.ts',
]

/** Tests of what a database keeps, and of several nodes on one. */
export const postgres = [
  'test/storage/postgres/**/*.test.ts',
  'test/nodes/**/*.test.ts',
  'test/cli/database*.test.ts',
  'test/cli/drain.test.ts',
  'test/assistant/mcp/versions.test.ts',
  'test/workflows/same-outcome.test.ts',
  'test/support/postgres.test.ts',
]

/** Tests that start other processes or services, or have a data folder on the disk. They take longer. */
export const service = [
  'test/{backup,cli,desktop,e2e,http,scripts}/**/*.test.ts',
  'test/storage/sqlite/**/*.test.ts',
  'test/**/*.process.test.ts',
  'test/reverse-proxy.test.ts',
]

/** Tests that measure time, CPU time, memory or open files. They run one by one, after the others. */
export const limits = ['test/**/*.limits.test.ts']

/** Files that take much longer than their size suggests. */
const longForTheirSize = ['test/e2e/kill.test.ts', 'test/storage/sqlite/sqlite-event-log.test.ts']

/**
 * Runs these files before the others of their project. In a new clone, vitest knows only the sizes of files, and would
 * end with the long ones while the other workers have nothing left to do.
 */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => longForTheirSize.some(file => moduleId.endsWith(file))
    const byProject = Object.groupBy(await super.sort(files), ({ project }) => project.name)
    return Object.values(byProject).flatMap((group = []) => [
      ...group.filter(isLong),
      ...group.filter(file => !isLong(file)),
    ])
  }
}

function project(name: string, include: string[], exclude: string[] = [], globalSetup: string[] = []) {
  const setupFiles = ['test/support/fixed-seed.ts']
  exclude = [...configDefaults.exclude, ...exclude]
  return { extends: true as const, test: { name, include, exclude, globalSetup, setupFiles } }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongFilesFirst },
    testTimeout: testMs,
    hookTimeout: testMs,
    teardownTimeout: testMs,
    expect: { poll: { timeout: waitMs, interval: 10 } },
    // One more than there are cores, because tests of processes and of the browser wait for these half of the time.
    maxWorkers: availableParallelism() + 1,
    // Files share a worker's modules and its browser. No module of ours keeps state, so they cannot disturb
    // each other; loading everything for each file took half of the time.
    isolate: false,
    projects: [
      project('core', ['test/**/*.test.ts'], [...service, ...postgres, ...browser, ...limits]),
      project('service', service, [...postgres, ...browser, ...limits]),
      project('postgres', postgres, [...browser, ...limits], ['test/support/postgres-setup.ts']),
      project('browser', browser, limits, [
        'test/support/build-product.ts',
        'test/support/postgres-setup.ts',
      ]),
      project('limits', limits),
    ],
  },
})
