/** The pages of Agent in their order. The sidebar, the palette and the keys [ and ] follow this list. */
export const agentPages = [
  { path: '/agent/widget', title: 'Widget', also: 'chat bubble colours contrast corner logo' },
] as const

export type AgentPagePath = (typeof agentPages)[number]['path']
