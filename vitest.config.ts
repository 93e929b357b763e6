import { configDefaults, defineConfig } from 'vitest/config'

const inBrowser = 'test/e2e/dashboard/**/*.test.ts'

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, inBrowser],
        },
      },
      {
        extends: true,
        test: {
          name: 'dashboard',
          include: [inBrowser],
          globalSetup: ['test/e2e/dashboard/build.ts'],
        },
      },
    ],
  },
})
