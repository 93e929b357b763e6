import { expect, test } from 'vitest'
import { KnowledgeFileName } from '#shared/model/platform/knowledge.ts'

test.each(['policy.pdf', 'Grüße – 2026.txt', 'قائمة.docx', '.csv'])('%s is the name of a file', name => {
  expect(KnowledgeFileName.safeParse(name).success).toBe(true)
})

test.each(['', 'a/b.txt', 'a\\b.txt', 'a\0.txt', 'a\n.txt', 'txt.\u202efdp.exe', 'a'.repeat(256)])(
  '%j is none',
  name => {
    expect(KnowledgeFileName.safeParse(name).success).toBe(false)
  },
)
