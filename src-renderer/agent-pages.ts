import { shapePages as pages } from '#shared/model/platform/shape-pages.ts'

const knowledge = {
  path: '/agent/knowledge',
  title: 'Knowledge',
  also: 'files PDF DOCX TXT CSV documents upload',
} as const

/** The pages that edit the shapes of an agent. */
export const shapePages = [...new Set(Object.values(pages))]
export type ShapePagePath = (typeof shapePages)[number]['path']

/** The pages of Agent in their order. The sidebar, the palette and the keys [ and ] follow this list. */
export const agentPages = [...shapePages, knowledge]

export type AgentPagePath = (typeof agentPages)[number]['path']
