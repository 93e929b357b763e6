import { maxKnowledgeBytes, maxKnowledgeFiles } from '#shared/model/platform/knowledge.ts'
import type { KnowledgeBounds } from './knowledge.ts'

export const knowledgeBounds: KnowledgeBounds = {
  mostFiles: maxKnowledgeFiles,
  mostBytes: maxKnowledgeBytes,
  mostUploads: 20,
  uploadMs: 10 * 60_000,
}
