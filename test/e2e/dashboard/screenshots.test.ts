import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { ofReadme, screens } from '../../screenshots/screens.ts'
import { takeScreenshots } from '../../screenshots/take.ts'
import { sharedBrowser } from '../../support/browser.ts'
import { temporaryFolder } from '../../support/cli-service.ts'

test('a picture that cannot be taken is named, and leaves the earlier one and the others', async () => {
  const [target, readmeFolder] = [temporaryFolder(), temporaryFolder()]
  writeFileSync(join(readmeFolder, 'changed-light.png'), 'the earlier one')
  const taking = await takeScreenshots({
    browser: await sharedBrowser(),
    rendererFolder: inject('rendererFolder'),
    screens: [
      { name: 'changed', path: '/connections', empty: true, prepare: () => Promise.reject(Error('Changed')) },
      { name: 'first-run', path: '/connections', empty: true },
    ],
    sizes: [{ width: 1280, height: 800 }],
    target,
    ofReadme: [
      { name: 'changed', scheme: 'light' },
      { name: 'first-run', scheme: 'light' },
    ],
    readmeFolder,
    stepMs: 30_000,
  })
  expect(taking).toEqual({
    taken: ['first-run-light.png', 'first-run-dark.png'],
    problems: ['changed-light.png: Changed', 'changed-dark.png: Changed'],
  })
  expect(readdirSync(target).sort()).toEqual(['first-run-dark.png', 'first-run-light.png'])
  expect(readdirSync(readmeFolder).sort()).toEqual(['changed-light.png', 'first-run-light.png'])
  expect(readFileSync(join(readmeFolder, 'changed-light.png'), 'utf8')).toBe('the earlier one')
})

test('the README shows screens that there are', () => {
  const names = screens.map(({ name }) => name)
  expect(ofReadme.filter(({ name }) => !names.includes(name))).toEqual([])
})
