import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

test('the dashboard loads the styles of every component of Mantine that it uses', () => {
  const styles = read('src-renderer/theme/styles.ts')
  const used = globSync('src-renderer/**/*.{ts,tsx}', { cwd: root }).flatMap(file =>
    [...read(file).matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)].flatMap(
      ([, names = '']) => names.match(/\b[A-Z]\w+/g) ?? [],
    ),
  )
  const own = [...new Set(used)].filter(name =>
    existsSync(join(root, `node_modules/@mantine/core/styles/${name}.css`)),
  )
  expect(own.length).toBeGreaterThan(20)
  expect(own.filter(name => !styles.includes(`/${name}.css`))).toEqual([])
})
