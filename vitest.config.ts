import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { testMs, waitMs } from './test/support/patience.ts'
import { filesOfProjects, type Project, projects } from './test/support/projects.ts'

// Workers and the processes that tests start load the same modules over and over: compiled once, they start in
// half the time.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'compiled')

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

const files = filesOfProjects(import.meta.dirname)
const build = 'test/support/build-product.ts'
const database = 'test/support/postgres-setup.ts'
/** The modules that start something once before the tests of a project. */
const globalSetup: Readonly<Record<Project, string[]>> = {
  core: [],
  service: [],
  postgres: [database],
  browser: [build, database],
  limits: [],
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
    projects: projects.map(name => ({
      extends: true,
      test: {
        ...{ name, include: files[name], globalSetup: globalSetup[name] },
        setupFiles: ['test/support/fixed-seed.ts'],
      },
    })),
  },
})
