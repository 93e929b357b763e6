import { expect, test } from 'vitest'
import { KnowledgeFile, KnowledgeFileName, KnowledgeMatch } from '#shared/model/platform/knowledge.ts'

test.each(['policy.pdf', 'Grüße – 2026.txt', 'قائمة.docx', '.csv', '..a', 'a.', 'con.txt'])(
  '%s is the name of a file',
  name => {
    expect(KnowledgeFileName.safeParse(name).success).toBe(true)
  },
)

test.each([
  '',
  'a/b.txt',
  'a\\b.txt',
  'a\0.txt',
  'a\n.txt',
  'txt.\u202efdp.exe',
  'a'.repeat(256),
  '.',
  '..',
  '...',
  ' ',
  ' . ',
  '\u00a0',
  '\u200b',
  '\u3000.',
])('%j is none', name => {
  expect(KnowledgeFileName.safeParse(name).success).toBe(false)
})

test('a stored file may have the name that an earlier version accepted', () => {
  expect(KnowledgeMatch.shape.name.safeParse('..').success).toBe(true)
  expect(KnowledgeFile.shape.name.safeParse('..').success).toBe(true)
})
